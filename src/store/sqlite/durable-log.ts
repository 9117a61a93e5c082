import { close, fdatasync, openSync } from 'node:fs';

/**
 * Flushes SQLite's write-ahead log to the disk off the main thread. SQLite could do it inside each commit
 * (synchronous = FULL), but then every commit would stop the event loop for as long as the disk takes; so commits only write
 * the log, and whoever must survive a power loss waits here. One flush serves all that wait.
 */
export class DurableLog {
  readonly #descriptor: number;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'r+');
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
    const flushed = new Promise<void>((resolve, reject) => {
      fdatasync(this.#descriptor, (error) => {
        if (this.#running === flushed) this.#running = undefined;
        if (error === null) resolve();
        else reject(error);
      });
    });
    this.#running = flushed;
    return flushed;
  }
}
