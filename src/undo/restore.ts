import {
  closeSync,
  constants,
  fsyncSync,
  lchownSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { type BytePath, depthOf, joined, parentOf, systemPath } from './byte-path.ts';
import type { ContentStore } from './content-store.ts';
import { syncDirectory } from './durable-file.ts';
import { type Entry, type PathChange, isSameUnread, sameContent, sameState } from './entry.ts';
import { DirectoryLost, Inside } from './inside.ts';
import { presentEntry } from './present-entry.ts';
import { isForbidden, setMode } from './opened-directories.ts';
import type { Conflict, DirectoryEnd, RestorePlan } from './restore-plan.ts';

const { O_NOFOLLOW, O_RDONLY } = constants;

/**
 * Carries out a plan. Every step can be done again: after a crash the whole plan is carried out anew and ends the same. What was
 * changed by others since the plan was made is left alone and told.
 */
export function restore({ root, steps, directories }: RestorePlan, contents: ContentStore, mark: string): Conflict[] {
  const inside = new Inside(root);
  const conflicts = new Map<BytePath, string>();
  const attempt = (path: BytePath, act: () => void): void => {
    try {
      if (!conflicts.has(path)) act();
    } catch (error) {
      if (!isForeseen(error)) throw error;
      conflicts.set(path, error.message);
    }
  };
  const indexed = steps.map((step, index) => ({ ...step, unnamed: `.signalbox-undo-${mark}-${index}` }));
  const downward = indexed.toSorted((one, other) => depthOf(one.path) - depthOf(other.path));

  openDirectories(inside, directories, steps);
  for (const { path, unnamed } of indexed) attempt(path, () => removeUnnamed(inside, path, unnamed));
  for (const step of downward.toReversed()) attempt(step.path, () => clear(inside, step));
  for (const step of downward) attempt(step.path, () => bring(inside, step, contents, step.unnamed));
  for (const directory of new Set(steps.map(({ path }) => parentOf(path)))) syncIfThere(inside, directory);
  if (steps.some(({ path }) => path === '')) syncIfThere(new Inside(parentOf(root) || '/'), '');
  for (const end of directories.toSorted((one, other) => depthOf(other.path) - depthOf(one.path)))
    attempt(end.path, () => inside.reach(end.path, (at) => finishDirectory(at, end)));
  return [...conflicts].map(([path, reason]) => ({ path, reason }));
}

/** Somebody else got in between. */
class Interference extends Error {}

function isForeseen(error: unknown): error is Error {
  const codes = ['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM'];
  return (
    error instanceof Interference ||
    error instanceof DirectoryLost ||
    (error instanceof Error && 'code' in error && codes.includes(String(error.code)))
  );
}

function syncIfThere(inside: Inside, directory: BytePath): void {
  try {
    inside.reach(joined(directory, '.'), syncDirectory);
  } catch (error) {
    if (!isForeseen(error)) throw error;
  }
}

/** Removes what has no place in the end or is in the way of another kind of thing. */
function clear(inside: Inside, { path, before, after }: PathChange): void {
  try {
    inside.reach(path, (at) => {
      const now = presentEntry(at);
      if (now === undefined || sameState(now, before)) return;
      if (before !== undefined && (before.kind === 'directory') === (now.kind === 'directory')) return;
      assertLeftByCall(now, after);
      if (now.kind === 'directory') rmdirSync(at);
      else unlinkSync(at);
    });
  } catch (error) {
    // With the directory, all that was in it is gone.
    if (!(error instanceof DirectoryLost)) throw error;
  }
}

/** Brings back what was there. */
function bring(inside: Inside, { path, before, after }: PathChange, contents: ContentStore, unnamed: string): void {
  if (before === undefined) return;
  inside.reach(path, (at) => {
    const now = presentEntry(at);
    // A directory that is there already is one that was made before the crash; it gets its mode in the end.
    if (before.kind === 'directory' && now?.kind === 'directory') return undefined;
    if (now !== undefined && !sameState(now, before)) assertLeftByCall(now, after);
    if (before.kind === 'directory') return mkdirSync(at, 0o700);
    if (now !== undefined && (sameContent(now, before) || isSameUnread(before, now))) return setAttributes(at, before);
    const aside = beside(at, unnamed);
    if (before.kind === 'symlink') symlinkSync(systemPath(before.content ?? ''), aside);
    else contents.copyTo(before.content ?? '', aside);
    setAttributes(aside, before);
    if (before.kind === 'file') syncFile(aside);
    renameSync(aside, at);
    return undefined;
  });
}

/** A directory may have been opened for the work meanwhile. */
function assertLeftByCall(now: Entry, after: Entry | undefined): void {
  const isLeft = now.kind === 'directory' ? after?.kind === 'directory' : sameState(now, after);
  if (!isLeft) throw new Interference('it was changed while the call was undone');
}

/** Opens directories that are closed to their owner: those that stay, and those that have to be emptied first. */
function openDirectories(inside: Inside, directories: readonly DirectoryEnd[], steps: readonly PathChange[]): void {
  const going = steps.filter(({ after }) => after?.kind === 'directory');
  for (const { path } of [...directories, ...going].toSorted((one, other) => depthOf(one.path) - depthOf(other.path))) {
    try {
      inside.reach(path, (at) => {
        const stats = lstatSync(at, { throwIfNoEntry: false });
        if (stats?.isDirectory() === true && (stats.mode & 0o700) !== 0o700) setMode(at, stats.mode | 0o700);
      });
    } catch (error) {
      if (!isForeseen(error)) throw error;
    }
  }
}

function finishDirectory(at: string | Buffer, { entry }: DirectoryEnd): void {
  if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory() === true) setAttributes(at, entry);
}

function setAttributes(at: string | Buffer, { kind, mode, uid, gid, mtimeMs }: Entry): void {
  const stats = lstatSync(at);
  if (stats.uid !== uid || stats.gid !== gid) setOwner(at, uid, gid);
  if (kind !== 'symlink' && (lstatSync(at).mode & 0o7777) !== mode) setMode(at, mode);
  if (stats.mtimeMs !== mtimeMs) lutimesSync(at, stats.atimeMs / 1000, mtimeMs / 1000);
}

/** Only the superuser can give files away; for anybody else they stay their own. */
function setOwner(at: string | Buffer, uid: number, gid: number): void {
  try {
    lchownSync(at, uid, gid);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error;
  }
}

function syncFile(at: string | Buffer): void {
  let descriptor: number;
  try {
    descriptor = openSync(at, O_RDONLY | O_NOFOLLOW);
  } catch (error) {
    // Its own mode closes it to us; what is lost with the power then is found out by its hash.
    if (!isForbidden(error)) throw error;
    return;
  }
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function removeUnnamed(inside: Inside, path: BytePath, unnamed: string): void {
  try {
    inside.reach(joined(parentOf(path), unnamed), (at) => rmSync(at, { force: true }));
  } catch (error) {
    if (!(error instanceof DirectoryLost)) throw error;
  }
}

function beside(at: string | Buffer, name: string): string | Buffer {
  const text = typeof at === 'string' ? at : at.toString('latin1');
  return systemPath(`${text.slice(0, text.lastIndexOf('/') + 1)}${name}`);
}
