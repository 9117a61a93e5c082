import { lstatSync, readlinkSync } from 'node:fs';
import { hashOfFile } from './content-store.ts';
import { type Entry, type PathChange, entryOf, kindOf } from './entry.ts';

/**
 * Returns the present entry at a path, with the hash of its content; `undefined` when there is none. A file that the change left beyond the
 * limits is not read, unless it may be the one from before.
 */
export function presentEntry(at: string | Buffer, change?: Partial<PathChange>): Entry | undefined {
  const stats = lstatSync(at, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  switch (kindOf(stats)) {
    case 'file':
      if (change?.after?.isBeyondLimits === true && stats.size !== change.before?.size)
        return { ...entryOf(stats, null), isBeyondLimits: true };
      return entryOf(stats, readableHash(at));
    case 'symlink':
      return entryOf(stats, readlinkSync(at, 'latin1'));
    case 'directory':
    case 'other':
      return entryOf(stats, null);
  }
}

function readableHash(at: string | Buffer): string | null {
  try {
    return hashOfFile(at);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return null;
    throw error;
  }
}
