import type { Stats } from 'node:fs';
import type { BytePath } from './byte-path.ts';

/** What stands at a path. */
export interface Entry {
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly inode: number;
  /** Of a file the hash of its content, of a symlink where it points. `null`: it could not be read. */
  readonly content: string | null;
  /** Whether it is a directory whose entries could not be read. Absent in records of earlier versions. */
  readonly isClosed?: boolean;
  /** Its content was not read after the call, because that was beyond the limits: it is known by its stat alone. */
  readonly isBeyondLimits?: true;
}

/** One path before and after; absent where there was nothing. */
export interface PathChange {
  readonly path: BytePath;
  readonly before?: Entry;
  readonly after?: Entry;
}

/** The entry that a stat describes. */
export function entryOf(stats: Stats, content: string | null, isClosed = false): Entry {
  return {
    kind: kindOf(stats),
    mode: stats.mode & 0o7777,
    uid: stats.uid,
    gid: stats.gid,
    size: stats.isDirectory() ? 0 : stats.size,
    mtimeMs: stats.mtimeMs,
    ctimeMs: stats.ctimeMs,
    inode: stats.ino,
    content,
    isClosed,
  };
}

/** Returns whether an entry could not be read, so that its content is not stored. */
export function isUnread(entry: Entry): boolean {
  return entry.isClosed === true || (entry.kind === 'file' && entry.content === null);
}

/** Returns whether an unreadable file is unchanged according to its stat. */
export function isSameUnread(before: Entry, now: Entry | undefined): boolean {
  return (
    before.kind === 'file' &&
    before.content === null &&
    now?.kind === 'file' &&
    before.inode === now.inode &&
    before.size === now.size &&
    before.mtimeMs === now.mtimeMs
  );
}

/** What a stat is of. */
export function kindOf(stats: Stats): Entry['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}

// Nobody else can give files away, so that for them an owner is nothing that could be restored.
const canSetOwner = process.getuid?.() === 0;

/** Whether two are the same to whoever reads them: everything but the times and the place on the disk. */
export function sameState(one: Entry | undefined, other: Entry | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (canSetOwner && (one.uid !== other.uid || one.gid !== other.gid)) return false;
  return one.mode === other.mode && sameContent(one, other);
}

/** Whether two are of the same kind and hold the same. What could not be read is taken for the same while its size and times are. */
export function sameContent(one: Entry, other: Entry): boolean {
  if (one.kind !== other.kind || one.content !== other.content) return false;
  if (other.isBeyondLimits === true && one.inode !== other.inode) return false;
  return one.content !== null || one.kind !== 'file' || (one.size === other.size && one.mtimeMs === other.mtimeMs);
}

/** Whether a stat is still the one an entry was made from. */
export function isUntouched(entry: Entry, stats: Stats): boolean {
  return (
    stats.ctimeMs === entry.ctimeMs &&
    stats.mtimeMs === entry.mtimeMs &&
    stats.ino === entry.inode &&
    (stats.mode & 0o7777) === entry.mode &&
    (entry.kind === 'directory' || stats.size === entry.size) &&
    kindOf(stats) === entry.kind
  );
}
