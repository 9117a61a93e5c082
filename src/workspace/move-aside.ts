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
import { nameOf, shownPath, systemPath } from './byte-path.ts';
import { type Entry, type PathChange, kindOf, sameState } from './entry.ts';
import { presentEntry } from './present-entry.ts';

/** Somebody else changed a path while it was restored. */
export class Interference extends Error {
  override readonly name = 'Interference';
}

/** An entry, and when it was looked at. */
export interface CheckedEntry {
  readonly entry: Entry;
  readonly at: number;
}

const largeFileBytes = 1024 * 1024;
// A second change within one tick of the file system's clock does not show in the stat.
const coarseTickMs = 2000;
const changed = 'it was changed while the call was undone';
/** File systems without hard links, and files that the system lets only their owner link. */
const unlinkable = ['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV'];

/** Returns the path of the file that a step moves aside. It is in the same directory, so that moving it is one step for the system. */
export function asidePath(at: string | Buffer, unnamed: string): string | Buffer {
  return beside(at, `${unnamed}-was`);
}

/** Returns the path of another name in the same directory. */
export function beside(at: string | Buffer, name: string): string | Buffer {
  const text = typeof at === 'string' ? at : at.toString('latin1');
  return systemPath(`${text.slice(0, text.lastIndexOf('/') + 1)}${name}`);
}

/**
 * Moves an entry aside if it is still the one that was checked. Whoever edits it meanwhile gets it back. Throws `Interference` then: a check
 * followed by a removal or a replacement would lose an edit that comes in between.
 */
export function moveAside(at: string | Buffer, aside: string | Buffer, checked: CheckedEntry): void {
  try {
    renameSync(at, aside);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) throw new Interference('it was removed while the call was undone');
    throw error;
  }
  if (isStill(aside, checked)) return;
  putBack(aside, at);
  throw new Interference(changed);
}

/** Replaces an entry that is still the one that was checked. Throws `Interference` where it is not, or where something else comes in between. */
export function replace(at: string | Buffer, aside: string | Buffer, by: string | Buffer, checked: CheckedEntry): void {
  moveAside(at, aside, checked);
  try {
    place(by, at);
  } catch (error) {
    // Something else has the path: what the call left there is not needed.
    if (error instanceof Interference) unlinkSync(aside);
    else putBack(aside, at);
    throw error;
  }
  unlinkSync(aside);
}

/** Gives an entry its name. Throws `Interference` when something else has the name by now. */
export function place(from: string | Buffer, at: string | Buffer): void {
  try {
    give(from, at);
  } catch (error) {
    throw hasCode(error, 'EEXIST') ? new Interference('something was put there while the call was undone') : error;
  }
}

function give(from: string | Buffer, at: string | Buffer): void {
  const stats = lstatSync(from);
  if (stats.isSymbolicLink()) {
    symlinkSync(readlinkSync(from, 'buffer'), at);
    lutimesSync(at, stats.atimeMs / 1000, stats.mtimeMs / 1000);
    unlinkSync(from);
  } else if (stats.isDirectory()) moveUnlessTaken(from, at);
  else linkOrMove(from, at);
}

/**
 * Deals with an entry that a process moved aside before it died. Puts it back where nothing took its place; removes it where the call had
 * left it. Throws `Interference` where it is somebody's edit and the path holds something else by now: both stay.
 */
export function settleAside(at: string | Buffer, aside: string | Buffer, step: PathChange): void {
  const moved = lstatSync(aside, { throwIfNoEntry: false });
  if (moved === undefined) return;
  const there = lstatSync(at, { throwIfNoEntry: false });
  if (there === undefined) putBack(aside, at);
  else if (isSameFile(moved, there)) unlinkSync(aside);
  else if (sameState(presentEntry(aside, step), step.after)) rmSync(aside);
  else throw new Interference(`${changed}; what was there is kept as ${shownName(aside)}`);
}

function putBack(aside: string | Buffer, at: string | Buffer): void {
  try {
    place(aside, at);
  } catch (error) {
    if (!(error instanceof Interference)) throw error;
    throw new Interference(`${changed}, and changed again; what was there first is kept as ${shownName(aside)}`);
  }
}

/** Returns whether an entry is unchanged since it was checked. Large files are known by their stat, unless that is too fresh to tell. */
function isStill(aside: string | Buffer, { entry, at }: CheckedEntry): boolean {
  const stats = lstatSync(aside);
  if (kindOf(stats) !== entry.kind) return false;
  const isSettled = entry.mtimeMs < at - coarseTickMs;
  if (
    entry.kind === 'other' ||
    (entry.kind === 'file' && (entry.content === null || (stats.size >= largeFileBytes && isSettled)))
  )
    return stats.ino === entry.inode && stats.size === entry.size && stats.mtimeMs === entry.mtimeMs;
  const found = presentEntry(aside);
  const { mtimeMs, size } = lstatSync(aside);
  return sameState(found, entry) && found?.mtimeMs === mtimeMs && stats.size === size;
}

function linkOrMove(from: string | Buffer, at: string | Buffer): void {
  try {
    linkSync(from, at);
  } catch (error) {
    if (!unlinkable.some((code) => hasCode(error, code))) throw error;
    moveUnlessTaken(from, at);
    return;
  }
  unlinkSync(from);
}

function moveUnlessTaken(from: string | Buffer, at: string | Buffer): void {
  if (lstatSync(at, { throwIfNoEntry: false }) !== undefined)
    throw Object.assign(new Error('something was put there while the call was undone'), { code: 'EEXIST' });
  renameSync(from, at);
}

function isSameFile(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function shownName(path: string | Buffer): string {
  return shownPath(nameOf(typeof path === 'string' ? path : path.toString('latin1')));
}
