import { availableParallelism } from 'node:os';

/** A start that takes longer than this waits for something else than a processor: a download, a network, a lock. */
const defaultHoldMs = 5000;

/** How many programs may start at the same time. */
export interface StartQueueOptions {
  readonly concurrency: number;
  /** How long one start may keep the next one waiting (5 s). */
  readonly holdMs?: number;
}

/**
 * Limits how many server programs start at the same time: all at once, each of them and this process would take many times as long.
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

  /** This process answers: from now on as many programs start at the same time as the options say. */
  widen(): void {
    this.#concurrency = this.#options.concurrency;
    while (this.#starting < this.#concurrency && this.#waiting.length > 0) {
      this.#starting += 1;
      this.#waiting.shift()?.();
    }
  }

  /** Resolves when it is a program's turn to start. The next one has its turn when `ended` settles, or after the hold time. */
  async turn(ended: Promise<unknown>): Promise<void> {
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

  /** Hands the slot over, or frees it. */
  #next(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#starting -= 1;
    else next();
  }
}
