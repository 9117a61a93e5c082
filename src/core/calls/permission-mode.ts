/** The freedom of an agent to act without approval in a session, as Claude Code names it. */
export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions';

const permissiveModes: ReadonlySet<PermissionMode> = new Set(['acceptEdits', 'bypassPermissions']);

/** Returns whether a mode asks less often than the policy alone. Agents cannot choose such a mode and never get one by default. */
export function isPermissiveMode(mode: PermissionMode): boolean {
  return permissiveModes.has(mode);
}
