import { getOrInsert } from '../../core/get-or-insert.ts';

const maxDirectories = 100;

/** The directories that the calls to one server named or changed to. */
export interface Visited {
  readonly directories: ReadonlySet<string>;
  /** Whether there were more, so that a relative path may start from any directory. */
  readonly isFull: boolean;
}

const none: Visited = { directories: new Set(), isFull: false };

/**
 * Remembers the directories of earlier calls, because a tool may keep a shell whose directory they changed. All callers of a server share
 * them, as they may share its process.
 */
export class VisitedDirectories {
  readonly #byServer = new Map<string, { directories: Set<string>; isFull: boolean }>();

  of(server: string): Visited {
    return this.#byServer.get(server) ?? none;
  }

  /** Adds directories of a call. `isComplete` is false when it may have named more. */
  add(server: string, directories: ReadonlySet<string>, isComplete: boolean): void {
    if (directories.size === 0 && isComplete) return;
    const visited = getOrInsert(this.#byServer, server, () => ({ directories: new Set<string>(), isFull: false }));
    if (!isComplete) visited.isFull = true;
    for (const each of directories) {
      if (visited.directories.has(each)) continue;
      if (visited.directories.size < maxDirectories) visited.directories.add(each);
      else visited.isFull = true;
    }
  }
}
