type BoxParts = Pick<typeof import('./box/start-servers.ts'), 'beginBox'> &
  Pick<typeof import('./box/open-box.ts'), 'openBox' | 'openBoxAnyway' | 'openConfiguredBox'> &
  Pick<typeof import('./read-configuration.ts'), 'assertTrusted' | 'readConfiguration'>;

/** What opens a box. Imported when it is needed: help, mistakes and the journal do not have to wait for all of it. */
export async function loadBoxParts(): Promise<BoxParts> {
  const { assertTrusted, readConfiguration } = await import('./read-configuration.ts');
  const { beginBox } = await import('./box/start-servers.ts');
  const { openBox, openBoxAnyway, openConfiguredBox } = await import('./box/open-box.ts');
  return { assertTrusted, beginBox, openBox, openBoxAnyway, openConfiguredBox, readConfiguration };
}
