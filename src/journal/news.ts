import type { Journal } from './journal.ts';

/** Other processes write to the same file, and there is nobody to tell us: we look this often. */
const longestMs = 250;
/** A busy journal is not read anew for every entry. */
const shortestMs = 10;

/** When to look at the journal again: soon after this process wrote something, and now and then. */
export class News {
  readonly #signal: AbortSignal | undefined;
  readonly #unsubscribe: (() => void) | undefined;
  #isFresh = false;
  #timer: NodeJS.Timeout | undefined;
  #look: (() => void) | undefined;

  constructor(journal?: Journal, signal?: AbortSignal) {
    this.#signal = signal;
    this.#unsubscribe = journal?.subscribe(this.#hear);
    signal?.addEventListener('abort', this.#stop, { once: true });
  }

  /** Resolves when there is something new, or may be. */
  wait(): Promise<void> {
    if (this.#signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      this.#look = resolve;
      this.#timer = setTimeout(this.#stop, this.#isFresh ? shortestMs : longestMs);
      this.#isFresh = false;
    });
  }

  close(): void {
    this.#unsubscribe?.();
    this.#signal?.removeEventListener('abort', this.#stop);
    this.#stop();
  }

  readonly #hear = (): void => {
    if (this.#isFresh) return;
    this.#isFresh = true;
    if (this.#look === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#stop, shortestMs);
  };

  readonly #stop = (): void => {
    clearTimeout(this.#timer);
    // Whoever looks now sees what was told of until now.
    this.#isFresh = false;
    this.#look?.();
    this.#look = undefined;
  };
}
