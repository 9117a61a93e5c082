import { closeSync, constants, lstatSync, openSync, readlinkSync } from 'node:fs';
import { type BytePath, joinPath, lastPart, parentPath, toDisplayPath, toSystemPath } from './byte-path.ts';
import { systemErrorCode } from './durable-file.ts';
import { hasDescriptorPaths, isPermissionError } from './opened-directories.ts';

const openDirectory = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** SerializedError when the directory of an entry no longer exists or is no longer a directory. */
export class DirectoryLostError extends Error {
  override readonly name = 'DirectoryLost';
  /** The first lost directory on the path. */
  readonly directory: BytePath;
  /** Whether nothing exists at the path. */
  readonly isMissing: boolean;

  constructor(directory: BytePath, isMissing: boolean) {
    super(
      `the directory ${directory === '' ? 'of the workspace' : toDisplayPath(directory)} ${isMissing ? 'no longer exists' : 'is no longer a directory'}`,
    );
    this.directory = directory;
    this.isMissing = isMissing;
  }
}

/**
 * Accesses the entries of a workspace without ever leaving it. A directory on the path may have been replaced by a symlink to a
 * place outside. So each directory is opened by descriptor relative to the one before, without following symlinks. On systems
 * without paths for descriptors, each part is checked just before use. The root was a real path when the call began; when it
 * resolves to another path now, it counts as lost.
 */
export class WorkspaceAccess {
  readonly #root: BytePath;

  constructor(root: BytePath) {
    this.#root = root;
  }

  /** Calls `act` with a path to the entry that is valid while it runs. Throws `DirectoryLostError`. */
  withPath<Result>(path: BytePath, act: (at: string | Buffer) => Result): Result {
    if (path === '') return this.#reachRoot(act);
    return this.#within(parentPath(path).split('/').filter(Boolean), lastPart(path), act);
  }

  /** Accesses the root through its own descriptor, because its parent may be unreadable; through its parent when the root is missing, unreadable or not a directory. */
  #reachRoot<Result>(act: (at: string | Buffer) => Result): Result {
    try {
      return this.#within([], '.', act);
    } catch (error) {
      const isOutOfReach = error instanceof DirectoryLostError || isPermissionError(error);
      if (!isOutOfReach || this.#root === '/') throw error;
      return new WorkspaceAccess(parentPath(this.#root) || '/').withPath(lastPart(this.#root), act);
    }
  }

  #within<Result>(parts: readonly BytePath[], name: BytePath, act: (at: string | Buffer) => Result): Result {
    return hasDescriptorPaths ? this.#byDescriptor(parts, name, act) : this.#byName(parts, name, act);
  }

  #byDescriptor<Result>(parts: readonly BytePath[], name: BytePath, act: (at: string | Buffer) => Result): Result {
    let descriptor = openDirectoryAt(toSystemPath(this.#root), '');
    try {
      if (readlinkSync(`/proc/self/fd/${descriptor}`, 'latin1') !== this.#root) throw new DirectoryLostError('', false);
      let directory = '';
      for (const part of parts) {
        directory = joinPath(directory, part);
        const next = openDirectoryAt(toSystemPath(`/proc/self/fd/${descriptor}/${part}`), directory);
        closeSync(descriptor);
        descriptor = next;
      }
      return act(toSystemPath(`/proc/self/fd/${descriptor}/${name}`));
    } finally {
      closeSync(descriptor);
    }
  }

  #byName<Result>(parts: readonly BytePath[], name: BytePath, act: (at: string | Buffer) => Result): Result {
    let directory = '';
    for (const part of ['', ...parts]) {
      directory = joinPath(directory, part);
      const stats = lstatSync(toSystemPath(joinPath(this.#root, directory)), { throwIfNoEntry: false });
      if (stats?.isDirectory() !== true) throw new DirectoryLostError(directory, stats === undefined);
    }
    return act(toSystemPath(`${joinPath(this.#root, directory)}/${name}`));
  }
}

function openDirectoryAt(at: string | Buffer, directory: BytePath): number {
  try {
    return openSync(at, openDirectory);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'ENOENT') throw new DirectoryLostError(directory, true);
    if (code === 'ELOOP' || code === 'ENOTDIR') throw new DirectoryLostError(directory, false);
    throw error;
  }
}
