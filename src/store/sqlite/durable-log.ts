import { close, fdatasync, openSync } from 'node:fs';

/**
 * Flushes SQLite's write-ahead log to the disk off the main thread. SQLite could do it inside each commit
 * (synchronous = FULL), but then every commit would stop the event loop for as long as the disk takes; so commits only write
 * the log, and whoever must survive a power loss waits here. One flush serves all that wait.
 *
 * A flush that fails tells of its loss once: the system may have dropped what it could not write, and the next flush succeeds. So
 * the log has to begin anew before another flush counts.
 */
export class DurableLog {
  readonly #descriptor: number;
  readonly #beginAnew: () => void;
  #mayHaveHole = false;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** `beginAnew` makes lasting, elsewhere, all that is in the log, and empties it; throws when it cannot. */
  constructor(file: string, beginAnew: () => void) {
    this.#descriptor = openSync(file, 'r+');
    this.#beginAnew = beginAnew;
  }

  /** Resolves when everything written before the call is on the disk. */
  flush(): Promise<void> {
    // A flush under way may have begun before our write: only the one after it counts.
    if (this.#running === undefined) return this.#start();
    this.#next ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#next;
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#running, this.#next]);
    await new Promise<void>((resolve) => close(this.#descriptor, () => resolve()));
  }

  #start(): Promise<void> {
    this.#next = undefined;
    this.#running = undefined;
    try {
      if (this.#mayHaveHole) this.#beginAnew();
      this.#mayHaveHole = false;
    } catch (error) {
      return Promise.reject(error);
    }
    const flushed = new Promise<void>((resolve, reject) => {
      fdatasync(this.#descriptor, (error) => {
        if (this.#running === flushed) this.#running = undefined;
        if (error === null) return resolve();
        this.#mayHaveHole = true;
        reject(error);
      });
    });
    this.#running = flushed;
    return flushed;
  }
}
