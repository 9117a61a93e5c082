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
import { type BytePath, pathDepth, joinPath, parentPath, toSystemPath } from '../content/byte-path.ts';
import type { ContentStore } from '../content/content-store.ts';
import { syncDirectory, systemErrorCode } from '../content/durable-file.ts';
import {
  type FileEntry,
  type PathChange,
  isSameUnread,
  isSameContent,
  readEntry,
  isSameState,
} from '../content/file-entry.ts';
import { DirectoryLostError, WorkspaceAccess } from '../content/contained-path.ts';
import {
  InterferenceError,
  asidePath,
  siblingPath,
  moveAside,
  putInPlace,
  replace,
  settleAside,
} from './move-aside.ts';
import { isPermissionError, setMode } from '../content/opened-directories.ts';
import type { Conflict, DirectoryState, RestorePlan } from './restore-plan.ts';

const { O_NOFOLLOW, O_RDONLY } = constants;

/**
 * Runs a plan and returns the conflicts. Every step is idempotent: after a crash the whole plan runs again with the same
 * result. Paths that others changed since the plan was made are left unchanged and returned as conflicts.
 */
export function restore({ root, steps, directories }: RestorePlan, contents: ContentStore, mark: string): Conflict[] {
  const inside = new WorkspaceAccess(root);
  const conflicts = new Map<BytePath, string>();
  const attempt = (path: BytePath, act: () => void): void => {
    try {
      if (!conflicts.has(path)) act();
    } catch (error) {
      if (!isExpectedError(error)) throw error;
      conflicts.set(path, error.message);
    }
  };
  const indexed = steps.map((step, index) => ({ ...step, temporaryName: `.signalbox-undo-${mark}-${index}` }));
  const downward = indexed.toSorted((one, other) => pathDepth(one.path) - pathDepth(other.path));

  openDirectories(inside, directories, steps);
  for (const step of indexed) attempt(step.path, () => settleLeftovers(inside, step));
  for (const step of downward.toReversed()) attempt(step.path, () => removeObstacle(inside, step));
  for (const step of downward) attempt(step.path, () => restoreEntry(inside, step, contents));
  for (const directory of new Set(steps.map(({ path }) => parentPath(path)))) syncIfThere(inside, directory);
  if (steps.some(({ path }) => path === '')) syncIfThere(new WorkspaceAccess(parentPath(root) || '/'), '');
  for (const end of directories.toSorted((one, other) => pathDepth(other.path) - pathDepth(one.path)))
    attempt(end.path, () => inside.withPath(end.path, (at) => finishDirectory(at, end)));
  return [...conflicts].map(([path, reason]) => ({ path, reason }));
}

/** A change to undo, and the temporary name under which its replacement is prepared. */
interface Step extends PathChange {
  readonly temporaryName: string;
}

function isExpectedError(error: unknown): error is Error {
  const codes = ['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM'];
  return (
    error instanceof InterferenceError || error instanceof DirectoryLostError || codes.includes(systemErrorCode(error))
  );
}

function syncIfThere(inside: WorkspaceAccess, directory: BytePath): void {
  try {
    inside.withPath(joinPath(directory, '.'), syncDirectory);
  } catch (error) {
    if (!isExpectedError(error)) throw error;
  }
}

/** Removes an entry that did not exist before the call, or that had another kind. */
function removeObstacle(inside: WorkspaceAccess, step: Step): void {
  const { path, before, after, temporaryName } = step;
  try {
    inside.withPath(path, (at) => {
      const checkedAt = Date.now();
      const now = readEntry(at, step);
      if (now === undefined || isSameState(now, before)) return;
      if (before !== undefined && (before.kind === 'directory') === (now.kind === 'directory')) return;
      assertLeftByCall(now, after);
      if (now.kind === 'directory') {
        rmdirSync(at);
        return;
      }
      const aside = asidePath(at, temporaryName);
      moveAside(at, aside, { entry: now, at: checkedAt });
      unlinkSync(aside);
    });
  } catch (error) {
    // When the directory is gone, so are its entries.
    if (!(error instanceof DirectoryLostError)) throw error;
  }
}

/** Restores the entry from before the call. It is prepared under a temporary name, so the path is empty only for a moment. */
function restoreEntry(inside: WorkspaceAccess, step: Step, contents: ContentStore): void {
  const { path, before, after, temporaryName } = step;
  if (before === undefined) return;
  inside.withPath(path, (at) => {
    const checkedAt = Date.now();
    const now = readEntry(at, step);
    // An existing directory was created before a crash; its attributes are set at the end.
    if (before.kind === 'directory' && now?.kind === 'directory') return;
    if (now !== undefined && !isSameState(now, before)) assertLeftByCall(now, after);
    if (before.kind === 'directory') {
      mkdirSync(at, 0o700);
      return;
    }
    if (now !== undefined && (isSameContent(now, before) || isSameUnread(before, now))) {
      setAttributes(at, before);
      return;
    }
    const prepared = siblingPath(at, temporaryName);
    try {
      prepare(prepared, before, contents);
      if (now === undefined) putInPlace(prepared, at);
      else replace(at, asidePath(at, temporaryName), prepared, { entry: now, at: checkedAt });
    } finally {
      rmSync(prepared, { force: true });
    }
  });
}

function prepare(at: string | Buffer, entry: FileEntry, contents: ContentStore): void {
  if (entry.kind === 'symlink') symlinkSync(toSystemPath(entry.content ?? ''), at);
  else contents.copyTo(entry.content ?? '', at);
  setAttributes(at, entry);
  if (entry.kind === 'file') syncFile(at);
}

/** Throws `InterferenceError` when an entry is not as the call left it. The mode of a directory is ignored, because the restore may have opened it. */
function assertLeftByCall(now: FileEntry, after: FileEntry | undefined): void {
  const isLeft = now.kind === 'directory' ? after?.kind === 'directory' : isSameState(now, after);
  if (!isLeft) throw new InterferenceError('it was changed while the call was undone');
}

/** Opens directories whose mode denies access to their owner: those that stay, and those that must be emptied before removal. */
function openDirectories(
  inside: WorkspaceAccess,
  directories: readonly DirectoryState[],
  steps: readonly PathChange[],
): void {
  const going = steps.filter(({ after }) => after?.kind === 'directory');
  for (const { path } of [...directories, ...going].toSorted(
    (one, other) => pathDepth(one.path) - pathDepth(other.path),
  )) {
    try {
      inside.withPath(path, (at) => {
        const stats = lstatSync(at, { throwIfNoEntry: false });
        if (stats?.isDirectory() === true && (stats.mode & 0o700) !== 0o700) setMode(at, stats.mode | 0o700);
      });
    } catch (error) {
      if (!isExpectedError(error)) throw error;
    }
  }
}

function finishDirectory(at: string | Buffer, { entry }: DirectoryState): void {
  if (lstatSync(at, { throwIfNoEntry: false })?.isDirectory() === true) setAttributes(at, entry);
}

function setAttributes(at: string | Buffer, { kind, mode, uid, gid, mtimeMs }: FileEntry): void {
  const stats = lstatSync(at);
  if (stats.uid !== uid || stats.gid !== gid) setOwner(at, uid, gid);
  if (kind !== 'symlink' && (lstatSync(at).mode & 0o7777) !== mode) setMode(at, mode);
  if (stats.mtimeMs !== mtimeMs) lutimesSync(at, stats.atimeMs / 1000, mtimeMs / 1000);
}

/** Sets the owner. Only root may do that; for other users the owner stays. */
function setOwner(at: string | Buffer, uid: number, gid: number): void {
  try {
    lchownSync(at, uid, gid);
  } catch (error) {
    if (systemErrorCode(error) !== 'EPERM') throw error;
  }
}

function syncFile(at: string | Buffer): void {
  let descriptor: number;
  try {
    descriptor = openSync(at, O_RDONLY | O_NOFOLLOW);
  } catch (error) {
    // Its mode denies access. A loss after a power failure is detected by its hash.
    if (!isPermissionError(error)) throw error;
    return;
  }
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Removes files that a dead process had prepared, and puts back files that it had moved aside. */
function settleLeftovers(inside: WorkspaceAccess, step: Step): void {
  try {
    inside.withPath(step.path, (at) => {
      rmSync(siblingPath(at, step.temporaryName), { force: true });
      settleAside(at, asidePath(at, step.temporaryName), step);
    });
  } catch (error) {
    if (!(error instanceof DirectoryLostError)) throw error;
  }
}
