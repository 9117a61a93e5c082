import type { Stats } from 'node:fs';

/** Returns whether a file is this user's or root's own, and no other user has access to it. Windows has no such marks. */
export function isPrivateFile(stats: Stats): boolean {
  if (!stats.isFile()) return false;
  const user = process.getuid?.();
  return user === undefined || ((stats.mode & 0o077) === 0 && (stats.uid === user || stats.uid === 0));
}
