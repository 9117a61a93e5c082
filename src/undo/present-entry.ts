import { lstatSync, readlinkSync } from 'node:fs';
import { hashOfFile } from './content-store.ts';
import { type Entry, entryOf, kindOf } from './entry.ts';

/** What stands at a path now, its content looked at; `undefined` when nothing does. */
export function presentEntry(at: string | Buffer): Entry | undefined {
  const stats = lstatSync(at, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  switch (kindOf(stats)) {
    case 'file':
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
