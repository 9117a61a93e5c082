import { resolve } from 'node:path';
import { overlap } from './byte-path.ts';

/** Lets one at a time into overlapping directories, in the order they came: what two calls change at once cannot be told apart. */
export class Turns {
  readonly #taken = new Set<{ readonly directories: readonly string[]; readonly over: Promise<void> }>();

  /** Waits for its turn; answers how to give it up. Leaving the queue early is giving it up too, so it can always be awaited. */
  async take(workspaces: readonly string[]): Promise<() => void> {
    const directories = workspaces.map((workspace) => resolve(workspace));
    const before = [...this.#taken].filter((other) =>
      other.directories.some((theirs) => directories.some((ours) => overlap(theirs, ours))),
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
