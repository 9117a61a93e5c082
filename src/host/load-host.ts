type Host = Pick<typeof import('./box/start-servers.ts'), 'startConfiguredServers'> &
  Pick<typeof import('./box/open-box.ts'), 'openBox' | 'openBoxForDiagnosis' | 'openConfiguredBox'> &
  Pick<typeof import('./open-trust.ts'), 'assertTrusted'> &
  Pick<typeof import('./read-configuration.ts'), 'assertNotStartedByItself' | 'readConfiguration'>;

/** Loads the functions that build a running system. Imported on demand, because help, usage errors and `journal` do not need them. */
export async function loadHost(): Promise<Host> {
  const { assertNotStartedByItself, readConfiguration } = await import('./read-configuration.ts');
  const { assertTrusted } = await import('./open-trust.ts');
  const { startConfiguredServers } = await import('./box/start-servers.ts');
  const { openBox, openBoxForDiagnosis, openConfiguredBox } = await import('./box/open-box.ts');
  return {
    assertNotStartedByItself,
    assertTrusted,
    openBox,
    openBoxForDiagnosis,
    openConfiguredBox,
    readConfiguration,
    startConfiguredServers,
  };
}
