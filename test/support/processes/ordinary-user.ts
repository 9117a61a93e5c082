const nobody = 65_534;

/**
 * Drops root privileges for the rest of this process, so that file modes apply to it. Does nothing for other users.
 * Call it after all imports, because the new user may have no access to the checkout.
 */
export function dropRootPrivileges(): void {
  if (process.getuid?.() !== 0) return;
  process.setgroups?.([nobody]);
  process.setgid?.(nobody);
  process.setuid?.(nobody);
}
