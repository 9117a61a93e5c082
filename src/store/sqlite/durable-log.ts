import { close, fdatasync, openSync } from 'node:fs';

/**
 * Flushes SQLite's write-ahead log to the disk off the main thread. SQLite could do it inside each commit
 * (synchronous = FULL), but then every commit would block the event loop until the disk responds. So commits only write the
 * log, and callers that need durability wait here. One flush serves all waiting callers.
 *
 * A failed flush is reported only once: the system may have dropped the data, and the next flush succeeds. So the log must be
 * restarted before another flush counts.
 */
export class DurableLog {
  readonly #descriptor: number;
  readonly #restart: () => void;
  #mayHaveHole = false;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** `restart` moves the whole log durably into the database and empties it, and throws an error when that fails. */
  constructor(file: string, restart: () => void) {
    this.#descriptor = openSync(file, 'r+');
    this.#restart = restart;
  }

  /** Resolves when everything that was written before the call is on the disk. */
  flush(): Promise<void> {
    // A flush in progress may have started before our write, so only the next one counts.
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
      if (this.#mayHaveHole) this.#restart();
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
