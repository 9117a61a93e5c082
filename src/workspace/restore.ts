import {
  closeSync,
  constants,
  fsyncSync,
  lchownSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
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
import { Interference, asidePath, beside, moveAside, place, replace, settleAside } from './move-aside.ts';
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
  for (const step of indexed) attempt(step.path, () => settleLeftovers(inside, step));
  for (const step of downward.toReversed()) attempt(step.path, () => clear(inside, step));
  for (const step of downward) attempt(step.path, () => bring(inside, step, contents));
  for (const directory of new Set(steps.map(({ path }) => parentOf(path)))) syncIfThere(inside, directory);
  if (steps.some(({ path }) => path === '')) syncIfThere(new Inside(parentOf(root) || '/'), '');
  for (const end of directories.toSorted((one, other) => depthOf(other.path) - depthOf(one.path)))
    attempt(end.path, () => inside.reach(end.path, (at) => finishDirectory(at, end)));
  return [...conflicts].map(([path, reason]) => ({ path, reason }));
}

/** A change that is to be taken back, and the name under which its parts are prepared. */
interface Step extends PathChange {
  readonly unnamed: string;
}

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
function clear(inside: Inside, step: Step): void {
  const { path, before, after, unnamed } = step;
  try {
    inside.reach(path, (at) => {
      const checkedAt = Date.now();
      const now = presentEntry(at, step);
      if (now === undefined || sameState(now, before)) return;
      if (before !== undefined && (before.kind === 'directory') === (now.kind === 'directory')) return;
      assertLeftByCall(now, after);
      if (now.kind === 'directory') {
        rmdirSync(at);
        return;
      }
      const aside = asidePath(at, unnamed);
      moveAside(at, aside, { entry: now, at: checkedAt });
      unlinkSync(aside);
    });
  } catch (error) {
    // With the directory, all that was in it is gone.
    if (!(error instanceof DirectoryLost)) throw error;
  }
}

/** Brings back what was there. All of it is prepared under another name first, so that the path is without its file only for a moment. */
function bring(inside: Inside, step: Step, contents: ContentStore): void {
  const { path, before, after, unnamed } = step;
  if (before === undefined) return;
  inside.reach(path, (at) => {
    const checkedAt = Date.now();
    const now = presentEntry(at, step);
    // A directory that is there already is one that was made before the crash; it gets its mode in the end.
    if (before.kind === 'directory' && now?.kind === 'directory') return;
    if (now !== undefined && !sameState(now, before)) assertLeftByCall(now, after);
    if (before.kind === 'directory') {
      mkdirSync(at, 0o700);
      return;
    }
    if (now !== undefined && (sameContent(now, before) || isSameUnread(before, now))) {
      setAttributes(at, before);
      return;
    }
    const prepared = beside(at, unnamed);
    try {
      prepare(prepared, before, contents);
      if (now === undefined) place(prepared, at);
      else replace(at, asidePath(at, unnamed), prepared, { entry: now, at: checkedAt });
    } finally {
      rmSync(prepared, { force: true });
    }
  });
}

function prepare(at: string | Buffer, entry: Entry, contents: ContentStore): void {
  if (entry.kind === 'symlink') symlinkSync(systemPath(entry.content ?? ''), at);
  else contents.copyTo(entry.content ?? '', at);
  setAttributes(at, entry);
  if (entry.kind === 'file') syncFile(at);
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

/** Removes what a process that died had prepared, and puts back what it had moved aside. */
function settleLeftovers(inside: Inside, step: Step): void {
  try {
    inside.reach(step.path, (at) => {
      rmSync(beside(at, step.unnamed), { force: true });
      settleAside(at, asidePath(at, step.unnamed), step);
    });
  } catch (error) {
    if (!(error instanceof DirectoryLost)) throw error;
  }
}
