const nobody = 65_534;

/**
 * Gives up the rights of root for the rest of this process, so that file modes apply to it. Does nothing for any other user.
 * Call it after all imports: the checkout may be closed to the new user.
 */
export function becomeOrdinaryUser(): void {
  if (process.getuid?.() !== 0) return;
  process.setgroups?.([nobody]);
  process.setgid?.(nobody);
  process.setuid?.(nobody);
}
