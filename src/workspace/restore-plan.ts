import { readdirSync } from 'node:fs';
import { type BytePath, depthOf, holds, joined, parentOf, shownPath } from './byte-path.ts';
import type { WorkspaceChanges } from './call-record.ts';
import { type Entry, type PathChange, isSameUnread, isUnread, sameState } from './entry.ts';
import { DirectoryLost, Inside } from './inside.ts';
import { OpenedDirectories, isForbidden } from './opened-directories.ts';
import { presentEntry } from './present-entry.ts';

/** A path that is not restored, and why. */
export interface Conflict {
  readonly path: BytePath;
  readonly reason: string;
  /** Nobody has changed it since: the call left more there than could be recorded. */
  readonly isBeyondLimits?: true;
}

/** What is to be done in one workspace. Written down before anything is done, so that it can be finished after a crash. */
export interface RestorePlan {
  readonly root: BytePath;
  readonly steps: readonly PathChange[];
  /** What directories are to be like when all else is done. */
  readonly directories: readonly DirectoryEnd[];
}

/** What a directory is to be like in the end. */
export interface DirectoryEnd {
  readonly path: BytePath;
  readonly entry: Entry;
}

/** A plan, and what it leaves out because it is not as the call left it. */
export interface Planned {
  readonly plan: RestorePlan;
  readonly conflicts: readonly Conflict[];
}

const ownerMayWork = 0o700;

/** Determines what can be restored: only paths that have not changed since the call. Closed directories are opened meanwhile. */
export function planRestore(workspace: WorkspaceChanges): Planned {
  const inside = new Inside(workspace.root);
  const opened = new OpenedDirectories((path, act) => inside.reach(path, act));
  try {
    return planWithin(workspace, inside, opened);
  } finally {
    opened.close();
  }
}

function planWithin(
  { root, changes, unrecorded = [] }: WorkspaceChanges,
  inside: Inside,
  opened: OpenedDirectories,
): Planned {
  const wanted = new Map(changes.map((change) => [change.path, change]));
  const conflicts = new Map<BytePath, string>();
  const steps = new Map<BytePath, PathChange>();
  const present = new Map<BytePath, Entry | undefined>();

  const look = (path: BytePath): Entry | undefined => {
    if (present.has(path)) return present.get(path);
    let entry: Entry | undefined;
    try {
      entry = inside.reach(path, (at) => presentEntry(at, wanted.get(path)));
    } catch (error) {
      if (!isForbidden(error) || path === '') throw error;
      // Read before the directories are opened, because opening changes the mode that the call left.
      for (const directory of directoriesAbove(path)) if (look(directory)?.kind === 'directory') opened.open(directory);
      entry = inside.reach(path, (at) => presentEntry(at, wanted.get(path)));
    }
    present.set(path, entry);
    return entry;
  };
  const moved = movedUnread(changes);

  for (const change of changes.toSorted((one, other) => depthOf(one.path) - depthOf(other.path))) {
    if ([...moved.keys()].some((path) => holds(path, change.path))) continue;
    try {
      const reason = objection(change, look(change.path));
      if (reason === 'none') steps.set(change.path, change);
      else if (reason !== undefined) conflicts.set(change.path, reason);
    } catch (error) {
      if (isForbidden(error)) {
        conflicts.set(change.path, 'it cannot be looked at: its directory is closed');
        continue;
      }
      if (!(error instanceof DirectoryLost)) throw error;
      if (change.before === undefined || sameState(change.before, change.after)) continue;
      const comesBack = steps.has(error.directory) && wanted.get(error.directory)?.before?.kind === 'directory';
      const reason = comesBack && change.after === undefined ? lossOf(change) : error.message;
      if (reason === undefined) steps.set(change.path, change);
      else conflicts.set(change.path, reason);
    }
  }
  for (const { path, before, after } of changes)
    if (before?.isClosed === true && after?.kind === 'directory') conflicts.set(path, unknownEntries);
  for (const [path, from] of moved)
    conflicts.set(path, `it is ${shownPath(from)}, which could not be read before the call`);
  const beyond = new Set(unrecorded.filter((path) => !conflicts.has(path)));
  for (const path of beyond) conflicts.set(path, unrecordedEntries);
  keepDirectoriesInUse({ inside, steps, conflicts, opened, beyond });
  return {
    plan: { root, steps: [...steps.values()], directories: directoryEnds(wanted, steps, present, look) },
    conflicts: [...conflicts].map(([path, reason]) => ({
      path,
      reason,
      ...(beyond.has(path) ? { isBeyondLimits: true } : {}),
    })),
  };
}

const unknownEntries = 'its entries could not be read before the call';
const unrecordedEntries = 'it holds new entries beyond the limits of undo, which were not recorded and stay';

/** Returns the workspace and every directory above a path, outermost first. */
function directoriesAbove(path: BytePath): BytePath[] {
  const parts = path.split('/').slice(0, -1);
  return ['', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}

/** Maps the new paths of unreadable files that the call has moved to their old ones. The moved file is the only copy. */
function movedUnread(changes: readonly PathChange[]): Map<BytePath, BytePath> {
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

/** Why a path is not restored; `none` when it is; `undefined` when there is nothing to do. */
function objection(change: PathChange, now: Entry | undefined): string | undefined {
  const { before, after } = change;
  if (sameState(before, after))
    return sameState(now, after) && now?.kind !== 'directory' && now?.mtimeMs === after?.mtimeMs ? 'none' : undefined;
  if (sameState(now, before)) return undefined;
  if (!sameState(now, after)) return difference(now, after);
  return lossOf(change) ?? 'none';
}

/** Returns why the state before the call is lost; `undefined` when it was stored or still exists. */
function lossOf({ before, after }: PathChange): string | undefined {
  if (before?.kind === 'other') return 'what stood there was neither a file, a directory nor a symlink';
  if (before?.isClosed === true && after?.kind !== 'directory') return unknownEntries;
  if (before?.kind === 'file' && before.content === null && !isSameUnread(before, after))
    return 'it could not be read before the call';
  return undefined;
}

function difference(now: Entry | undefined, after: Entry | undefined): string {
  if (now === undefined) return 'it was removed since the call';
  if (after === undefined) return `a ${now.kind} was put there since the call`;
  if (now.kind !== after.kind) return `it was replaced by a ${now.kind} since the call`;
  return now.content === after.content
    ? 'its mode or owner was changed since the call'
    : 'it was changed since the call';
}

interface DirectoriesInUse {
  readonly inside: Inside;
  readonly steps: Map<BytePath, PathChange>;
  readonly conflicts: Map<BytePath, string>;
  readonly opened: OpenedDirectories;
  /** The conflicts that are due to the limits alone. */
  readonly beyond: Set<BytePath>;
}

/** A directory that has to go must be empty by then. */
function keepDirectoriesInUse({ inside, steps, conflicts, opened, beyond }: DirectoriesInUse): void {
  const going = [...steps.values()].filter(
    ({ before, after }) => after?.kind === 'directory' && before?.kind !== 'directory',
  );
  for (const { path } of going.toSorted((one, other) => depthOf(other.path) - depthOf(one.path))) {
    opened.open(path);
    try {
      const names = inside.reach(path, (at) => readdirSync(at, 'latin1'));
      const staying = names.filter((name) => {
        const step = steps.get(joined(path, name));
        return step === undefined || step.before !== undefined;
      });
      const [first] = staying;
      if (first === undefined) {
        // Somebody has removed what was beyond the limits.
        if (beyond.delete(path)) conflicts.delete(path);
        continue;
      }
      if (!beyond.has(path)) {
        const hasReason = conflicts.has(joined(path, first));
        const why = hasReason ? 'stays' : 'was put there or changed since the call';
        conflicts.set(path, `it holds ${shownPath(first)}, which ${why}`);
        if (staying.every((name) => beyond.has(joined(path, name)))) beyond.add(path);
      }
    } catch (error) {
      if (!isForbidden(error)) throw error;
      conflicts.set(path, 'it cannot be read: it is closed');
      beyond.delete(path);
    }
    steps.delete(path);
  }
}

function directoryEnds(
  wanted: ReadonlyMap<BytePath, PathChange>,
  steps: ReadonlyMap<BytePath, PathChange>,
  present: ReadonlyMap<BytePath, Entry | undefined>,
  look: (path: BytePath) => Entry | undefined,
): DirectoryEnd[] {
  const ends = new Map<BytePath, Entry>();
  for (const { path, before, after } of wanted.values()) {
    if (before?.kind !== 'directory') continue;
    // The time stays where somebody else has worked in the directory since.
    const isUntouched = sameState(before, after) && present.get(path)?.mtimeMs === after?.mtimeMs;
    if (steps.has(path) || isUntouched) ends.set(path, before);
  }
  // Restoring what is in a directory changes the directory too; and one that is closed is opened for the work.
  for (const step of steps.values()) {
    for (let path = step.path, isNear = true; path !== ''; isNear = false) {
      path = parentOf(path);
      if (ends.has(path) || steps.has(path)) continue;
      const entry = look(path);
      if (entry?.kind === 'directory' && (isNear || (entry.mode & ownerMayWork) !== ownerMayWork))
        ends.set(path, entry);
    }
  }
  return [...ends].map(([path, entry]) => ({ path, entry }));
}
