import { chmodSync, closeSync, constants, existsSync, fchmodSync, lstatSync, openSync } from 'node:fs';
import type { BytePath } from './byte-path.ts';
import { systemErrorCode } from './durable-file.ts';

/** Calls `act` with a path to an entry of the workspace that system calls can use. */
type Reach = <Result>(path: BytePath, act: (at: string | Buffer) => Result) => Result;

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const ownerRights = 0o700;
/** Whether an open file can be named by its descriptor, which no other process can swap. */
export const hasDescriptorPaths = existsSync('/proc/self/fd');
// O_PATH opens a file of any mode without access to its content. Node has no constant for it; its value is the same on all Linux platforms that Node supports.
const O_PATH = 0o10_000_000;

/** Directories whose mode denies access even to their owner, made accessible while they are read. */
export class OpenedDirectories {
  readonly #reach: Reach;
  readonly #modes = new Map<BytePath, number>();

  constructor(reach: Reach) {
    this.#reach = reach;
  }

  /** Gives the owner all rights to a directory. Returns false where the mode is not the obstacle or another user owns it. */
  open(path: BytePath): boolean {
    try {
      return this.#reach(path, (at) => {
        const stats = lstatSync(at);
        if (!stats.isDirectory() || (stats.mode & ownerRights) === ownerRights) return false;
        setMode(at, stats.mode | ownerRights);
        this.#modes.set(path, stats.mode);
        return true;
      });
    } catch (error) {
      if (!isPermissionError(error)) throw error;
      return false;
    }
  }

  has(path: BytePath): boolean {
    return this.#modes.has(path);
  }

  paths(): readonly BytePath[] {
    return [...this.#modes.keys()];
  }

  /** Restores the mode of every directory, the innermost first. */
  close(): void {
    for (const [path, mode] of [...this.#modes].toReversed()) {
      try {
        this.#reach(path, (at) => setMode(at, mode));
      } catch (error) {
        if (!isPermissionError(error)) throw error;
      }
    }
    this.#modes.clear();
  }
}

/** Sets the mode by descriptor, so that a symlink that replaces the file meanwhile is not followed. Falls back to the path for files that cannot be opened. */
export function setMode(at: string | Buffer, mode: number): void {
  let descriptor: number;
  try {
    descriptor = openSync(at, O_NOFOLLOW | (hasDescriptorPaths ? O_PATH : O_RDONLY | O_NONBLOCK));
  } catch (error) {
    if (hasDescriptorPaths || !isPermissionError(error)) throw error;
    chmodSync(at, mode & 0o7777);
    return;
  }
  try {
    if (hasDescriptorPaths) chmodSync(`/proc/self/fd/${descriptor}`, mode & 0o7777);
    else fchmodSync(descriptor, mode & 0o7777);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns whether an error is a permission error. */
export function isPermissionError(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes(systemErrorCode(error));
}
