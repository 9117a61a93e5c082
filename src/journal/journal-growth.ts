import { randomUUID } from 'node:crypto';
import { type PubSub, fallbackPollMs } from './store/pub-sub.ts';

const topic = 'journal';
/** The minimum time between two messages, of any sender, so that a busy journal does not send one for every entry. */
const minMessageIntervalMs = 25;
/** A message received this long after an entry was written was also sent after it. */
const maxDelayMs = 10;

/**
 * Notifies the other processes of a store that the journal has grown. The receiver reads all new entries, so one message serves all
 * processes that have written: together they send about forty messages per second at most.
 */
export class GrowthAnnouncer {
  readonly #pubSub: PubSub;
  readonly #id: string = randomUUID();
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** The times of the first and the last entry that are not announced yet. */
  #since = 0;
  #newest = 0;
  #last = Number.NEGATIVE_INFINITY;

  constructor(pubSub: PubSub) {
    this.#pubSub = pubSub;
    this.#stop = pubSub.subscribe(topic, (sender) => {
      if (sender !== this.#id) this.#onMessage();
    });
  }

  /** Announces that entries were written, now or with the next message. */
  announce(): void {
    if (!this.#pubSub.isCrossProcess) return;
    this.#newest = performance.now();
    if (this.#timer === undefined) this.#schedule();
  }

  /** Calls the listener when other processes may have written. Returns a function that unsubscribes. */
  onOthers(listener: () => void): () => void {
    return onGrowth(this.#pubSub, listener, this.#id);
  }

  /** Sends a pending message now and unsubscribes. */
  async close(): Promise<void> {
    this.#stop();
    if (this.#timer !== undefined) await this.#send();
  }

  #onMessage(): void {
    this.#last = performance.now();
    if (this.#timer === undefined || this.#since + maxDelayMs > this.#last) return;
    this.#clear();
    // An entry that was written just now may not be covered by that message.
    if (this.#newest + maxDelayMs > this.#last) this.#schedule();
  }

  #schedule(): void {
    this.#since = this.#newest;
    const rest = this.#last + minMessageIntervalMs - performance.now();
    // Jitter, so that several processes do not send at the same moment.
    this.#timer = setTimeout(
      () => void this.#send(),
      rest > 0 ? rest + Math.random() * minMessageIntervalMs : 0,
    ).unref();
  }

  async #send(): Promise<void> {
    this.#clear();
    this.#last = performance.now();
    // Receivers that miss the message poll.
    await this.#pubSub.publish(topic, this.#id).catch(() => undefined);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Calls the listener when a process other than `own` has written to the journal, or may have. */
function onGrowth(pubSub: PubSub, listener: () => void, own?: string): () => void {
  const stops = [
    pubSub.subscribe(topic, (sender) => {
      if (sender !== own) listener();
    }),
    pubSub.onGap(listener),
  ];
  return () => stops.forEach((stop) => stop());
}

/** The poll interval without messages from other processes, and the one in case a message is lost. */
const pollMs = { withoutMessages: 250, withMessages: fallbackPollMs };
/** The minimum time between two reads, so that a busy journal is not read for every entry. */
const minReadIntervalMs = 10;

/** Decides when a follower reads the journal again: soon after a write, and at a fixed interval. */
export class GrowthWatcher {
  readonly #signal: AbortSignal | undefined;
  readonly #unsubscribe: () => void;
  readonly #pollMs: number;
  #isFresh = false;
  #timer: NodeJS.Timeout | undefined;
  #resolve: (() => void) | undefined;

  constructor(pubSub: PubSub, journal?: { onGrowth(listener: () => void): () => void }, signal?: AbortSignal) {
    this.#pollMs = pubSub.isCrossProcess ? pollMs.withMessages : pollMs.withoutMessages;
    this.#signal = signal;
    this.#unsubscribe = journal?.onGrowth(this.#onGrowth) ?? onGrowth(pubSub, this.#onGrowth);
    signal?.addEventListener('abort', this.#stop, { once: true });
  }

  /** Resolves when the journal has new entries, or may have. */
  wait(): Promise<void> {
    if (this.#signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#timer = setTimeout(this.#stop, this.#isFresh ? minReadIntervalMs : this.#pollMs);
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
    this.#timer = setTimeout(this.#stop, minReadIntervalMs);
  };

  readonly #stop = (): void => {
    clearTimeout(this.#timer);
    // The read that follows covers all writes announced so far.
    this.#isFresh = false;
    this.#resolve?.();
    this.#resolve = undefined;
  };
}
