import {
  type Stats,
  linkSync,
  lstatSync,
  lutimesSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { lastPart, toDisplayPath, toSystemPath } from '../content/byte-path.ts';
import { systemErrorCode } from '../content/durable-file.ts';
import { type FileEntry, type PathChange, toKind, readEntry, isSameState } from '../content/file-entry.ts';

/** SerializedError when another program changed a path while it was restored. */
export class InterferenceError extends Error {
  override readonly name = 'Interference';
}

/** An entry and the time at which it was checked. */
export interface CheckedEntry {
  readonly entry: FileEntry;
  readonly at: number;
}

const largeFileBytes = 1024 * 1024;
// A second change within one tick of the file system's clock does not show in the stat.
const coarseTickMs = 2000;
const changed = 'it was changed while the call was undone';
/** The errors of file systems without hard links, and of files that only their owner may link. */
const linkErrorCodes = new Set(['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV']);

/** Returns the path to which a step moves a file aside. It is in the same directory, so that the rename is atomic. */
export function asidePath(at: string | Buffer, temporaryName: string): string | Buffer {
  return siblingPath(at, `${temporaryName}-was`);
}

/** Returns the path of another name in the same directory. */
export function siblingPath(at: string | Buffer, name: string): string | Buffer {
  const text = typeof at === 'string' ? at : at.toString('latin1');
  return toSystemPath(`${text.slice(0, text.lastIndexOf('/') + 1)}${name}`);
}

/**
 * Moves an entry aside if it is unchanged since it was checked. If it has changed, moves it back and throws `InterferenceError`.
 * A check followed by a removal would lose an edit made in between.
 */
export function moveAside(at: string | Buffer, aside: string | Buffer, checked: CheckedEntry): void {
  try {
    renameSync(at, aside);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') throw new InterferenceError('it was removed while the call was undone');
    throw error;
  }
  if (isUnchanged(aside, checked)) return;
  putBack(aside, at);
  throw new InterferenceError(changed);
}

/** Replaces an entry that is unchanged since it was checked. Throws `InterferenceError` when it changed before or during the replacement. */
export function replace(at: string | Buffer, aside: string | Buffer, by: string | Buffer, checked: CheckedEntry): void {
  moveAside(at, aside, checked);
  try {
    putInPlace(by, at);
  } catch (error) {
    // Another entry has taken the path, so the version that the call left is not needed.
    if (error instanceof InterferenceError) unlinkSync(aside);
    else putBack(aside, at);
    throw error;
  }
  unlinkSync(aside);
}

/** Moves an entry to its path. Throws `InterferenceError` when the path is taken. */
export function putInPlace(from: string | Buffer, at: string | Buffer): void {
  try {
    moveIfFree(from, at);
  } catch (error) {
    throw systemErrorCode(error) === 'EEXIST'
      ? new InterferenceError('another entry was created there while the call was undone')
      : error;
  }
}

function moveIfFree(from: string | Buffer, at: string | Buffer): void {
  const stats = lstatSync(from);
  if (stats.isSymbolicLink()) {
    symlinkSync(readlinkSync(from, 'buffer'), at);
    lutimesSync(at, stats.atimeMs / 1000, stats.mtimeMs / 1000);
    unlinkSync(from);
  } else if (stats.isDirectory()) moveUnlessTaken(from, at);
  else linkOrMove(from, at);
}

/**
 * Recovers an entry that a process moved aside before it died. Puts it back when its path is free; removes it when it is the
 * version that the call left. Throws `InterferenceError` when it is a later edit and the path is taken: then both stay.
 */
export function settleAside(at: string | Buffer, aside: string | Buffer, step: PathChange): void {
  const moved = lstatSync(aside, { throwIfNoEntry: false });
  if (moved === undefined) return;
  const there = lstatSync(at, { throwIfNoEntry: false });
  if (there === undefined) putBack(aside, at);
  else if (isSameFile(moved, there)) unlinkSync(aside);
  else if (isSameState(readEntry(aside, step), step.after)) rmSync(aside);
  else throw new InterferenceError(`${changed}; the earlier file is stored as ${displayName(aside)}`);
}

function putBack(aside: string | Buffer, at: string | Buffer): void {
  try {
    putInPlace(aside, at);
  } catch (error) {
    if (!(error instanceof InterferenceError)) throw error;
    throw new InterferenceError(`${changed}, and changed again; the first version is stored as ${displayName(aside)}`);
  }
}

/**
 * Returns whether an entry is unchanged since it was checked. Large files are known by their stat, unless that is too recent to
 * be reliable.
 */
function isUnchanged(aside: string | Buffer, { entry, at }: CheckedEntry): boolean {
  const stats = lstatSync(aside);
  if (toKind(stats) !== entry.kind) return false;
  const isSettled = entry.mtimeMs < at - coarseTickMs;
  if (
    entry.kind === 'other' ||
    (entry.kind === 'file' && (entry.content === null || (stats.size >= largeFileBytes && isSettled)))
  )
    return stats.ino === entry.inode && stats.size === entry.size && stats.mtimeMs === entry.mtimeMs;
  const found = readEntry(aside);
  const { mtimeMs, size } = lstatSync(aside);
  return isSameState(found, entry) && found?.mtimeMs === mtimeMs && stats.size === size;
}

function linkOrMove(from: string | Buffer, at: string | Buffer): void {
  try {
    linkSync(from, at);
  } catch (error) {
    if (!linkErrorCodes.has(systemErrorCode(error))) throw error;
    moveUnlessTaken(from, at);
    return;
  }
  unlinkSync(from);
}

function moveUnlessTaken(from: string | Buffer, at: string | Buffer): void {
  if (lstatSync(at, { throwIfNoEntry: false }) !== undefined)
    throw Object.assign(new Error('another entry was created there while the call was undone'), { code: 'EEXIST' });
  renameSync(from, at);
}

function isSameFile(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

function displayName(path: string | Buffer): string {
  return toDisplayPath(lastPart(typeof path === 'string' ? path : path.toString('latin1')));
}
