import { createHash } from 'node:crypto';
import { type Stats, chmodSync, lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';

/**
 * Returns everything about a tree that undo must restore: names, contents, modes, owners, link targets, empty directories, and
 * times to the microsecond.
 */
export function treeFingerprint(
  root: string,
  options: { readonly times: boolean } = { times: true },
): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (path: Buffer, name: string): void => {
    const stats = lstatSync(path);
    const facts = [`${stats.mode.toString(8)} ${stats.uid}:${stats.gid}`];
    if (options.times) facts.push(String(Math.round(stats.mtimeMs * 100) / 100));
    if (stats.isSymbolicLink()) facts.push(`→ ${readlinkSync(path, 'latin1')}`);
    if (stats.isFile())
      facts.push(
        createHash('sha1')
          .update(withAccess(path, stats, () => readFileSync(path)))
          .digest('hex'),
      );
    found.set(name, facts.join(' '));
    if (!stats.isDirectory()) return;
    withAccess(path, stats, () => {
      for (const each of readdirSync(path, { encoding: 'buffer' }))
        visit(Buffer.concat([path, Buffer.from('/'), each]), `${name}/${each.toString('latin1')}`);
    });
  };
  visit(Buffer.from(root), '');
  return found;
}

/** Grants the owner access to an entry while `act` runs. */
function withAccess<Result>(path: Buffer, { mode }: Stats, act: () => Result): Result {
  if (process.getuid?.() === 0 || (mode & 0o500) === 0o500) return act();
  chmodSync(path, (mode & 0o7777) | 0o500);
  try {
    return act();
  } finally {
    chmodSync(path, mode & 0o7777);
  }
}
