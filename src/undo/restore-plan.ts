import { readdirSync } from 'node:fs';
import { type BytePath, depthOf, joined, parentOf, shownPath } from './byte-path.ts';
import type { WorkspaceChanges } from './call-record.ts';
import { type Entry, type PathChange, sameState } from './entry.ts';
import { DirectoryLost, Inside } from './inside.ts';
import { presentEntry } from './present-entry.ts';

/** A path that is not restored, and why. */
export interface Conflict {
  readonly path: BytePath;
  readonly reason: string;
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

/** Finds out what can be restored: only paths that are as the call left them. */
export function planRestore({ root, changes }: WorkspaceChanges): Planned {
  const inside = new Inside(root);
  const wanted = new Map(changes.map((change) => [change.path, change]));
  const conflicts = new Map<BytePath, string>();
  const steps = new Map<BytePath, PathChange>();
  const present = new Map<BytePath, Entry | undefined>();

  const look = (path: BytePath): Entry | undefined => {
    if (!present.has(path)) present.set(path, inside.reach(path, presentEntry));
    return present.get(path);
  };

  for (const change of changes.toSorted((one, other) => depthOf(one.path) - depthOf(other.path))) {
    try {
      const reason = objection(change, look(change.path));
      if (reason === 'none') steps.set(change.path, change);
      else if (reason !== undefined) conflicts.set(change.path, reason);
    } catch (error) {
      if (isClosed(error)) {
        conflicts.set(change.path, 'it cannot be looked at: its directory is closed');
        continue;
      }
      if (!(error instanceof DirectoryLost)) throw error;
      if (change.before === undefined || sameState(change.before, change.after)) continue;
      const comesBack = steps.has(error.directory) && wanted.get(error.directory)?.before?.kind === 'directory';
      if (comesBack && change.after === undefined) steps.set(change.path, change);
      else conflicts.set(change.path, error.message);
    }
  }
  keepDirectoriesInUse(inside, steps, conflicts);
  return {
    plan: { root, steps: [...steps.values()], directories: directoryEnds(wanted, steps, present, look) },
    conflicts: [...conflicts].map(([path, reason]) => ({ path, reason })),
  };
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EACCES';
}

/** Why a path is not restored; `none` when it is; `undefined` when there is nothing to do. */
function objection({ before, after }: PathChange, now: Entry | undefined): string | undefined {
  if (sameState(before, after))
    return sameState(now, after) && now?.kind !== 'directory' && now?.mtimeMs === after?.mtimeMs ? 'none' : undefined;
  if (sameState(now, before)) return undefined;
  if (!sameState(now, after)) return difference(now, after);
  if (before?.kind === 'other') return 'what stood there was neither a file, a directory nor a symlink';
  if (before?.kind === 'file' && before.content === null) return 'it could not be read before the call';
  return 'none';
}

function difference(now: Entry | undefined, after: Entry | undefined): string {
  if (now === undefined) return 'it was removed since the call';
  if (after === undefined) return `a ${now.kind} was put there since the call`;
  if (now.kind !== after.kind) return `it was replaced by a ${now.kind} since the call`;
  return now.content === after.content
    ? 'its mode or owner was changed since the call'
    : 'it was changed since the call';
}

/** A directory that has to go must be empty by then. */
function keepDirectoriesInUse(
  inside: Inside,
  steps: Map<BytePath, PathChange>,
  conflicts: Map<BytePath, string>,
): void {
  const going = [...steps.values()].filter(
    ({ before, after }) => after?.kind === 'directory' && before?.kind !== 'directory',
  );
  for (const { path } of going.toSorted((one, other) => depthOf(other.path) - depthOf(one.path))) {
    const names = inside.reach(path, (at) => readdirSync(at, 'latin1'));
    const staying = names.find((name) => {
      const step = steps.get(joined(path, name));
      return step === undefined || step.before !== undefined;
    });
    if (staying === undefined) continue;
    steps.delete(path);
    conflicts.set(path, `it holds ${shownPath(staying)}, which was put there or changed since the call`);
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
