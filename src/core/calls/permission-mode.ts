/** How freely an agent may act in a session. */
export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions';

const freer: ReadonlySet<PermissionMode> = new Set(['acceptEdits', 'bypassPermissions']);

/** Whether less is asked in this mode than policy alone would. Agents do not choose such a mode, and get none by default. */
export function isFreerMode(mode: PermissionMode): boolean {
  return freer.has(mode);
}
