import { onGrowth } from './growth-announcer.ts';
import type { Journal } from './journal.ts';
import { type PubSub, fallbackPollMs } from './store/pub-sub.ts';

/** The poll interval without messages from other processes, and the one in case a message is lost. */
const pollMs = { withoutMessages: 250, withMessages: fallbackPollMs };
/** The minimum time between two reads, so that a busy journal is not read for every entry. */
const minIntervalMs = 10;

/** Decides when a follower reads the journal again: soon after a write, and at a fixed interval. */
export class GrowthWatcher {
  readonly #signal: AbortSignal | undefined;
  readonly #unsubscribe: () => void;
  readonly #pollMs: number;
  #isFresh = false;
  #timer: NodeJS.Timeout | undefined;
  #resolve: (() => void) | undefined;

  constructor(post: PubSub, journal?: Journal, signal?: AbortSignal) {
    this.#pollMs = post.isCrossProcess ? pollMs.withMessages : pollMs.withoutMessages;
    this.#signal = signal;
    this.#unsubscribe = journal?.onGrowth(this.#onGrowth) ?? onGrowth(post, this.#onGrowth);
    signal?.addEventListener('abort', this.#stop, { once: true });
  }

  /** Resolves when the journal has new entries, or may have. */
  wait(): Promise<void> {
    if (this.#signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#timer = setTimeout(this.#stop, this.#isFresh ? minIntervalMs : this.#pollMs);
      this.#isFresh = false;
    });
  }

  close(): void {
    this.#unsubscribe();
    this.#signal?.removeEventListener('abort', this.#stop);
    this.#stop();
  }

  readonly #onGrowth = (): void => {
    if (this.#isFresh) return;
    this.#isFresh = true;
    if (this.#resolve === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#stop, minIntervalMs);
  };

  readonly #stop = (): void => {
    clearTimeout(this.#timer);
    // The read that follows covers all writes announced so far.
    this.#isFresh = false;
    this.#resolve?.();
    this.#resolve = undefined;
  };
}
