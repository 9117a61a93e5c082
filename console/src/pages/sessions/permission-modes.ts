import type { PermissionMode } from '../../api/schema.ts';

/** How freely an agent may act, from careful to free. */
export const permissionModes: readonly {
  readonly mode: PermissionMode;
  readonly name: string;
  readonly about: string;
}[] = [
  { mode: 'plan', name: 'Plan', about: 'Only reads run.' },
  { mode: 'default', name: 'Ask by policy', about: 'Asks where the policy says so.' },
  { mode: 'acceptEdits', name: 'Accept edits', about: 'Asks only for what cannot be undone.' },
  { mode: 'dontAsk', name: 'Do not ask', about: 'What would ask is denied.' },
  { mode: 'bypassPermissions', name: 'Bypass', about: 'Asks nothing. What a rule denies stays denied.' },
];
