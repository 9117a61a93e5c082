import { onGrowth } from './growth-announcer.ts';
import type { Journal } from './journal.ts';
import { type PubSub, fallbackPollMs } from './store/pub-sub.ts';

/** Where nobody tells us what other processes write, we look this often; and where notes may be lost, now and then. */
const longestMs = { untold: 250, told: fallbackPollMs };
/** A busy journal is not read anew for every entry. */
const shortestMs = 10;

/** When to look at the journal again: soon after something was written, and now and then. */
export class GrowthWatcher {
  readonly #signal: AbortSignal | undefined;
  readonly #unsubscribe: () => void;
  readonly #longestMs: number;
  #isFresh = false;
  #timer: NodeJS.Timeout | undefined;
  #look: (() => void) | undefined;

  constructor(post: PubSub, journal?: Journal, signal?: AbortSignal) {
    this.#longestMs = post.isCrossProcess ? longestMs.told : longestMs.untold;
    this.#signal = signal;
    this.#unsubscribe = journal?.onGrowth(this.#hear) ?? onGrowth(post, this.#hear);
    signal?.addEventListener('abort', this.#stop, { once: true });
  }

  /** Resolves when there is something new, or may be. */
  wait(): Promise<void> {
    if (this.#signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      this.#look = resolve;
      this.#timer = setTimeout(this.#stop, this.#isFresh ? shortestMs : this.#longestMs);
      this.#isFresh = false;
    });
  }

  close(): void {
    this.#unsubscribe();
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
