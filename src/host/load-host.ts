/** Loads the functions that build a running system. Imported on demand, because help, usage errors and `journal` do not need them. */
export async function loadHost() {
  return {
    ...(await import('./read-configuration.ts')),
    ...(await import('./open-trust.ts')),
    ...(await import('./box/open-box.ts')),
  };
}
