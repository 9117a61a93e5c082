type BoxParts = Pick<typeof import('./begin-box.ts'), 'beginBox'> &
  Pick<typeof import('./open-box.ts'), 'openBox' | 'openBoxAnyway' | 'openConfiguredBox'> &
  Pick<typeof import('../cli/read-configuration.ts'), 'assertTrusted' | 'readConfiguration'>;

/** What opens a box. Imported when it is needed: help, mistakes and the journal do not have to wait for all of it. */
export async function loadBoxParts(): Promise<BoxParts> {
  const { assertTrusted, readConfiguration } = await import('../cli/read-configuration.ts');
  const { beginBox } = await import('./begin-box.ts');
  const { openBox, openBoxAnyway, openConfiguredBox } = await import('./open-box.ts');
  return { assertTrusted, beginBox, openBox, openBoxAnyway, openConfiguredBox, readConfiguration };
}
