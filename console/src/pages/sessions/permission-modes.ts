import type { PermissionMode } from '../../api/schema.ts';

/** The permission modes, from the strictest to the most permissive. */
export const permissionModes: readonly {
  readonly mode: PermissionMode;
  readonly name: string;
  readonly about: string;
}[] = [
  { mode: 'plan', name: 'Plan', about: 'Only reads run.' },
  { mode: 'default', name: 'Ask by policy', about: 'Asks where the policy requires it.' },
  { mode: 'acceptEdits', name: 'Accept edits', about: 'Asks only for calls that cannot be undone.' },
  { mode: 'dontAsk', name: 'Do not ask', about: 'Calls that would ask are denied.' },
  { mode: 'bypassPermissions', name: 'Bypass', about: 'Never asks. Calls that a rule denies stay denied.' },
];
