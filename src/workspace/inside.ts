import { closeSync, constants, lstatSync, openSync, readlinkSync } from 'node:fs';
import { type BytePath, joined, nameOf, parentOf, shownPath, systemPath } from './byte-path.ts';
import { hasDescriptorPaths, isForbidden } from './opened-directories.ts';

const openDirectory = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** The directory of an entry is not there, or is not a directory any more. */
export class DirectoryLost extends Error {
  override readonly name = 'DirectoryLost';
  /** The first one on the way that is lost. */
  readonly directory: BytePath;
  /** Whether there is nothing at all. */
  readonly isMissing: boolean;

  constructor(directory: BytePath, isMissing: boolean) {
    super(
      `the directory ${directory === '' ? 'of the workspace' : shownPath(directory)} is ${isMissing ? 'gone' : 'not a directory any more'}`,
    );
    this.directory = directory;
    this.isMissing = isMissing;
  }
}

/**
 * Reaches the entries of a workspace without ever leaving it. A directory on the way may have been replaced by a symlink that
 * leads elsewhere; so each one is opened from the one before it, by descriptor, and symlinks are not followed. Where the system
 * has no paths for descriptors, each part is looked at just before. The root itself was a real path when the call began: where
 * it leads elsewhere by now, it is lost.
 */
export class Inside {
  readonly #root: BytePath;

  constructor(root: BytePath) {
    this.#root = root;
  }

  /** Hands `act` a path of the entry that is good for as long as it runs. Throws `DirectoryLost`. */
  reach<Result>(path: BytePath, act: (at: string | Buffer) => Result): Result {
    if (path === '') return this.#reachRoot(act);
    return this.#within(parentOf(path).split('/').filter(Boolean), nameOf(path), act);
  }

  /** Reaches the root through its own descriptor, because its parent may be closed; through its parent when the root is missing, closed or not a directory. */
  #reachRoot<Result>(act: (at: string | Buffer) => Result): Result {
    try {
      return this.#within([], '.', act);
    } catch (error) {
      const isOutOfReach = error instanceof DirectoryLost || isForbidden(error);
      if (!isOutOfReach || this.#root === '/') throw error;
      return new Inside(parentOf(this.#root) || '/').reach(nameOf(this.#root), act);
    }
  }

  #within<Result>(parts: readonly BytePath[], name: BytePath, act: (at: string | Buffer) => Result): Result {
    return hasDescriptorPaths ? this.#byDescriptor(parts, name, act) : this.#byName(parts, name, act);
  }

  #byDescriptor<Result>(parts: readonly BytePath[], name: BytePath, act: (at: string | Buffer) => Result): Result {
    let descriptor = opened(systemPath(this.#root), '');
    try {
      if (readlinkSync(`/proc/self/fd/${descriptor}`, 'latin1') !== this.#root) throw new DirectoryLost('', false);
      let directory = '';
      for (const part of parts) {
        directory = joined(directory, part);
        const next = opened(systemPath(`/proc/self/fd/${descriptor}/${part}`), directory);
        closeSync(descriptor);
        descriptor = next;
      }
      return act(systemPath(`/proc/self/fd/${descriptor}/${name}`));
    } finally {
      closeSync(descriptor);
    }
  }

  #byName<Result>(parts: readonly BytePath[], name: BytePath, act: (at: string | Buffer) => Result): Result {
    let directory = '';
    for (const part of ['', ...parts]) {
      directory = joined(directory, part);
      const stats = lstatSync(systemPath(joined(this.#root, directory)), { throwIfNoEntry: false });
      if (stats?.isDirectory() !== true) throw new DirectoryLost(directory, stats === undefined);
    }
    return act(systemPath(`${joined(this.#root, directory)}/${name}`));
  }
}

function opened(at: string | Buffer, directory: BytePath): number {
  try {
    return openSync(at, openDirectory);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') throw new DirectoryLost(directory, true);
    if (code === 'ELOOP' || code === 'ENOTDIR') throw new DirectoryLost(directory, false);
    throw error;
  }
}
