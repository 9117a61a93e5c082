import { readdirSync } from 'node:fs';
import { type BytePath, pathDepth, containsPath, joinPath, parentPath, toDisplayPath } from '../content/byte-path.ts';
import type { WorkspaceChanges } from './call-record.ts';
import {
  type FileEntry,
  type PathChange,
  isSameUnread,
  isUnread,
  readEntry,
  isSameState,
} from '../content/file-entry.ts';
import { DirectoryLostError, WorkspaceAccess } from '../content/contained-path.ts';
import { OpenedDirectories, isPermissionError } from '../content/opened-directories.ts';

/** A path that is not restored, with the reason. */
export interface Conflict {
  readonly path: BytePath;
  readonly reason: string;
  /** The only reason is that the call created more entries there than could be recorded. */
  readonly isBeyondLimits?: true;
}

/** The steps of a restore in one workspace. Stored before the first step, so that it can be finished after a crash. */
export interface RestorePlan {
  readonly root: BytePath;
  readonly steps: readonly PathChange[];
  /** The final attributes of directories, set after all other steps. */
  readonly directories: readonly DirectoryState[];
}

/** The final attributes of a directory. */
export interface DirectoryState {
  readonly path: BytePath;
  readonly entry: FileEntry;
}

/** A plan, and the conflicts: paths that changed since the call and are left out. */
export interface PlannedRestore {
  readonly plan: RestorePlan;
  readonly conflicts: readonly Conflict[];
}

const ownerRights = 0o700;

/** Determines what can be restored: only paths that have not changed since the call. Closed directories are opened meanwhile. */
export function planRestore(workspace: WorkspaceChanges): PlannedRestore {
  const inside = new WorkspaceAccess(workspace.root);
  const opened = new OpenedDirectories((path, act) => inside.withPath(path, act));
  try {
    return planWithin(workspace, inside, opened);
  } finally {
    opened.close();
  }
}

function planWithin(
  { root, changes, unrecorded = [] }: WorkspaceChanges,
  inside: WorkspaceAccess,
  opened: OpenedDirectories,
): PlannedRestore {
  const wanted = new Map(changes.map((change) => [change.path, change]));
  const conflicts = new Map<BytePath, string>();
  const steps = new Map<BytePath, PathChange>();
  const present = new Map<BytePath, FileEntry | undefined>();

  const readPresent = (path: BytePath): FileEntry | undefined => {
    if (present.has(path)) return present.get(path);
    let entry: FileEntry | undefined;
    try {
      entry = inside.withPath(path, (at) => readEntry(at, wanted.get(path)));
    } catch (error) {
      if (!isPermissionError(error) || path === '') throw error;
      // The entries are read before the directories are opened, because opening changes the mode that the call left.
      for (const directory of directoriesAbove(path))
        if (readPresent(directory)?.kind === 'directory') opened.open(directory);
      entry = inside.withPath(path, (at) => readEntry(at, wanted.get(path)));
    }
    present.set(path, entry);
    return entry;
  };
  const moved = findMovedUnread(changes);

  for (const change of changes.toSorted((one, other) => pathDepth(one.path) - pathDepth(other.path))) {
    if ([...moved.keys()].some((path) => containsPath(path, change.path))) continue;
    try {
      const reason = findObjection(change, readPresent(change.path));
      if (reason === 'none') steps.set(change.path, change);
      else if (reason !== undefined) conflicts.set(change.path, reason);
    } catch (error) {
      if (isPermissionError(error)) {
        conflicts.set(change.path, 'it cannot be read: its directory denies access');
        continue;
      }
      if (!(error instanceof DirectoryLostError)) throw error;
      if (change.before === undefined || isSameState(change.before, change.after)) continue;
      const comesBack = steps.has(error.directory) && wanted.get(error.directory)?.before?.kind === 'directory';
      const reason = comesBack && change.after === undefined ? findLoss(change) : error.message;
      if (reason === undefined) steps.set(change.path, change);
      else conflicts.set(change.path, reason);
    }
  }
  for (const { path, before, after } of changes)
    if (before?.isClosed === true && after?.kind === 'directory') conflicts.set(path, unknownEntries);
  for (const [path, from] of moved)
    conflicts.set(path, `it is ${toDisplayPath(from)}, which could not be read before the call`);
  const beyond = new Set(unrecorded.filter((path) => !conflicts.has(path)));
  for (const path of beyond) conflicts.set(path, unrecordedEntries);
  keepDirectoriesInUse({ inside, steps, conflicts, opened, beyond });
  return {
    plan: { root, steps: [...steps.values()], directories: toDirectoryStates(wanted, steps, present, readPresent) },
    conflicts: [...conflicts].map(([path, reason]) => ({
      path,
      reason,
      ...(beyond.has(path) ? { isBeyondLimits: true } : {}),
    })),
  };
}

const unknownEntries = 'its entries could not be read before the call';
const unrecordedEntries =
  'it contains new entries beyond the limits of undo, which were not recorded and are not removed';

/** Returns the workspace and every directory above a path, outermost first. */
function directoriesAbove(path: BytePath): BytePath[] {
  const parts = path.split('/').slice(0, -1);
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}

/** Maps the new paths of unreadable files that the call has moved to their old ones. The moved file is the only copy. */
function findMovedUnread(changes: readonly PathChange[]): Map<BytePath, BytePath> {
  const lost = new Map<number, BytePath>();
  for (const { path, before, after } of changes)
    if (before !== undefined && isUnread(before) && before.inode !== after?.inode) lost.set(before.inode, path);
  const moved = new Map<BytePath, BytePath>();
  for (const { path, before, after } of changes) {
    const from = after === undefined || after.inode === before?.inode ? undefined : lost.get(after.inode);
    if (from !== undefined) moved.set(path, from);
  }
  return moved;
}

/** Returns why a path is not restored; `none` when it is; `undefined` when there is nothing to do. */
function findObjection(change: PathChange, now: FileEntry | undefined): string | undefined {
  const { before, after } = change;
  if (isSameState(before, after))
    return isSameState(now, after) && now?.kind !== 'directory' && now?.mtimeMs === after?.mtimeMs ? 'none' : undefined;
  if (isSameState(now, before)) return undefined;
  if (!isSameState(now, after)) return describeDifference(now, after);
  return findLoss(change) ?? 'none';
}

/** Returns why the state before the call is lost; `undefined` when it was stored or still exists. */
function findLoss({ before, after }: PathChange): string | undefined {
  if (before?.kind === 'other') return 'it was neither a file, a directory nor a symlink before the call';
  if (before?.isClosed === true && after?.kind !== 'directory') return unknownEntries;
  if (before?.kind === 'file' && before.content === null && !isSameUnread(before, after))
    return 'it could not be read before the call';
  return undefined;
}

function describeDifference(now: FileEntry | undefined, after: FileEntry | undefined): string {
  if (now === undefined) return 'it was removed since the call';
  if (after === undefined) return `a ${now.kind} was created there since the call`;
  if (now.kind !== after.kind) return `it was replaced by a ${now.kind} since the call`;
  return now.content === after.content
    ? 'its mode or owner was changed since the call'
    : 'it was changed since the call';
}

interface DirectoriesInUse {
  readonly inside: WorkspaceAccess;
  readonly steps: Map<BytePath, PathChange>;
  readonly conflicts: Map<BytePath, string>;
  readonly opened: OpenedDirectories;
  /** The conflicts that are due to the limits alone. */
  readonly beyond: Set<BytePath>;
}

/** Adds a conflict for every directory that must be removed but will not be empty. */
function keepDirectoriesInUse({ inside, steps, conflicts, opened, beyond }: DirectoriesInUse): void {
  const going = [...steps.values()].filter(
    ({ before, after }) => after?.kind === 'directory' && before?.kind !== 'directory',
  );
  for (const { path } of going.toSorted((one, other) => pathDepth(other.path) - pathDepth(one.path))) {
    opened.open(path);
    try {
      const names = inside.withPath(path, (at) => readdirSync(at, 'latin1'));
      const staying = names.filter((name) => {
        const step = steps.get(joinPath(path, name));
        return step === undefined || step.before !== undefined;
      });
      const [first] = staying;
      if (first === undefined) {
        // The entries beyond the limits were removed meanwhile.
        if (beyond.delete(path)) conflicts.delete(path);
        continue;
      }
      if (!beyond.has(path)) {
        const hasReason = conflicts.has(joinPath(path, first));
        const why = hasReason ? 'is not removed' : 'was created or changed since the call';
        conflicts.set(path, `it contains ${toDisplayPath(first)}, which ${why}`);
        if (staying.every((name) => beyond.has(joinPath(path, name)))) beyond.add(path);
      }
    } catch (error) {
      if (!isPermissionError(error)) throw error;
      conflicts.set(path, 'it cannot be read: its mode denies access');
      beyond.delete(path);
    }
    steps.delete(path);
  }
}

function toDirectoryStates(
  wanted: ReadonlyMap<BytePath, PathChange>,
  steps: ReadonlyMap<BytePath, PathChange>,
  present: ReadonlyMap<BytePath, FileEntry | undefined>,
  readPresent: (path: BytePath) => FileEntry | undefined,
): DirectoryState[] {
  const ends = new Map<BytePath, FileEntry>();
  for (const { path, before, after } of wanted.values()) {
    if (before?.kind !== 'directory') continue;
    // Keeps the time of a directory that others have changed since the call.
    const isUntouched = isSameState(before, after) && present.get(path)?.mtimeMs === after?.mtimeMs;
    if (steps.has(path) || isUntouched) ends.set(path, before);
  }
  // Restoring entries changes the time of their directory, and opens it when its mode denies access.
  for (const step of steps.values()) {
    for (let path = step.path, isNear = true; path !== ''; isNear = false) {
      path = parentPath(path);
      if (ends.has(path) || steps.has(path)) continue;
      const entry = readPresent(path);
      if (entry?.kind === 'directory' && (isNear || (entry.mode & ownerRights) !== ownerRights)) ends.set(path, entry);
    }
  }
  return [...ends].map(([path, entry]) => ({ path, entry }));
}
