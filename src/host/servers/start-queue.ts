import { availableParallelism } from 'node:os';

/** A start that takes longer than this is assumed to wait for a download, a network or a lock, not for a processor. */
const defaultHoldMs = 5000;

/** Options of `StartQueue`. */
export interface StartQueueOptions {
  readonly concurrency: number;
  /** The time for which a start may hold its slot (5 s). */
  readonly holdMs?: number;
}

/**
 * Limits how many server programs start at the same time. Starting all at once would slow down each of them and this process.
 * Until `widen` is called, one processor is left to this process, which has clients to answer.
 */
export class StartQueue {
  readonly #options: StartQueueOptions;
  #concurrency: number;
  readonly #waiting: (() => void)[] = [];
  #starting = 0;

  constructor(options: StartQueueOptions, processors = availableParallelism()) {
    this.#options = options;
    this.#concurrency = Math.min(options.concurrency, Math.max(1, processors - 1));
  }

  /** Raises the limit to the configured concurrency. Called once this process answers clients. */
  widen(): void {
    this.#concurrency = this.#options.concurrency;
    while (this.#starting < this.#concurrency && this.#waiting.length > 0) {
      this.#starting += 1;
      this.#waiting.shift()?.();
    }
  }

  /** Resolves when a program may start. Its slot is released when `ended` settles, or after the hold time. */
  async waitForSlot(ended: Promise<unknown>): Promise<void> {
    if (this.#starting >= this.#concurrency) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#starting += 1;
    const timer = setTimeout(() => release(), this.#options.holdMs ?? defaultHoldMs).unref();
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      clearTimeout(timer);
      this.#next();
    };
    void ended.then(release, release);
  }

  /** Passes the slot to the next program in the queue, or frees it. */
  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#starting -= 1;
    else next();
  }
}
