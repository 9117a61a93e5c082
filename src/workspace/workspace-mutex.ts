import { resolve } from 'node:path';
import { isOverlapping } from './content/byte-path.ts';

/**
 * Serializes calls in overlapping directories in the order of arrival, because concurrent changes of two calls cannot be
 * distinguished.
 */
export class WorkspaceMutex {
  readonly #taken = new Set<{ readonly directories: readonly string[]; readonly over: Promise<void> }>();

  /** Waits until no overlapping directory is in use. Resolves with the function that releases the lock. */
  async acquire(workspaces: readonly string[]): Promise<() => void> {
    const directories = workspaces.map((workspace) => resolve(workspace));
    const before = [...this.#taken].filter((other) =>
      other.directories.some((theirs) => directories.some((ours) => isOverlapping(theirs, ours))),
    );
    const { promise: over, resolve: end } = Promise.withResolvers<void>();
    const turn = { directories, over };
    this.#taken.add(turn);
    await Promise.all(before.map((other) => other.over));
    return () => {
      this.#taken.delete(turn);
      end();
    };
  }
}
