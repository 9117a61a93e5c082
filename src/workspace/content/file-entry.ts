import type { BytePath } from './byte-path.ts';
import { hashOfFile } from './content-store.ts';
import { systemErrorCode } from './durable-file.ts';
import { type Stats, lstatSync, readlinkSync } from 'node:fs';

/** The recorded state of a file, directory or symlink. */
export interface FileEntry {
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly inode: number;
  /** The content hash of a file or the target of a symlink; `null` when it could not be read. */
  readonly content: string | null;
  /** Whether it is a directory whose entries could not be read. */
  readonly isClosed?: boolean;
  /** Set when the content was not read after the call because of the limits. Only the stat is known. */
  readonly isBeyondLimits?: true;
}

/** The state of a path before and after a call; absent where nothing existed. */
export interface PathChange {
  readonly path: BytePath;
  readonly before?: FileEntry;
  readonly after?: FileEntry;
}

/** Converts a stat to an entry. */
export function toFileEntry(stats: Stats, content: string | null, isClosed = false): FileEntry {
  return {
    kind: toKind(stats),
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
export function isUnread(entry: FileEntry): boolean {
  return entry.isClosed === true || (entry.kind === 'file' && entry.content === null);
}

/** Returns whether an unreadable file is unchanged according to its stat. */
export function isSameUnread(before: FileEntry, now: FileEntry | undefined): boolean {
  return (
    before.kind === 'file' &&
    before.content === null &&
    now?.kind === 'file' &&
    before.inode === now.inode &&
    before.size === now.size &&
    before.mtimeMs === now.mtimeMs
  );
}

/** Returns the kind of file that a stat describes. */
export function toKind(stats: Stats): FileEntry['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'symlink' : 'other';
}

// Only root can change the owner of a file, so other users cannot restore it.
const canSetOwner = process.getuid?.() === 0;

/** Returns whether two entries are equal except for times and inode. */
export function isSameState(one: FileEntry | undefined, other: FileEntry | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (canSetOwner && (one.uid !== other.uid || one.gid !== other.gid)) return false;
  return one.mode === other.mode && isSameContent(one, other);
}

/** Returns whether two entries have the same kind and content. Unreadable files count as equal when size and times are. */
export function isSameContent(one: FileEntry, other: FileEntry): boolean {
  if (one.kind !== other.kind || one.content !== other.content) return false;
  if (other.isBeyondLimits === true && one.inode !== other.inode) return false;
  return one.content !== null || one.kind !== 'file' || (one.size === other.size && one.mtimeMs === other.mtimeMs);
}

/** Returns whether a stat still matches the entry that was made from it. */
export function isUntouched(entry: FileEntry, stats: Stats): boolean {
  return (
    stats.ctimeMs === entry.ctimeMs &&
    stats.mtimeMs === entry.mtimeMs &&
    stats.ino === entry.inode &&
    (stats.mode & 0o7777) === entry.mode &&
    (entry.kind === 'directory' || stats.size === entry.size) &&
    toKind(stats) === entry.kind
  );
}

/**
 * Returns the present entry at a path, with the hash of its content; `undefined` when there is none. A file that the change left beyond the
 * limits is not read, unless it may be the one from before.
 */
export function readEntry(at: string | Buffer, change?: Partial<PathChange>): FileEntry | undefined {
  const stats = lstatSync(at, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  switch (toKind(stats)) {
    case 'file':
      if (change?.after?.isBeyondLimits === true && stats.size !== change.before?.size)
        return { ...toFileEntry(stats, null), isBeyondLimits: true };
      return toFileEntry(stats, tryHashFile(at));
    case 'symlink':
      return toFileEntry(stats, readlinkSync(at, 'latin1'));
    case 'directory':
    case 'other':
      return toFileEntry(stats, null);
  }
}

function tryHashFile(at: string | Buffer): string | null {
  try {
    return hashOfFile(at);
  } catch (error) {
    if (systemErrorCode(error) === 'EACCES') return null;
    throw error;
  }
}
