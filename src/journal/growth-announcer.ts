import { randomUUID } from 'node:crypto';
import type { PubSub } from './store/pub-sub.ts';

const topic = 'journal';
/** The minimum time between two messages, of any sender, so that a busy journal does not send one for every entry. */
const minIntervalMs = 25;
/** A message received this long after an entry was written was also sent after it. */
const maxDelayMs = 10;

/**
 * Notifies the other processes of a store that the journal has grown. The receiver reads all new entries, so one message serves all
 * processes that have written: together they send about forty messages per second at most.
 */
export class GrowthAnnouncer {
  readonly #post: PubSub;
  readonly #id: string = randomUUID();
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** The times of the first and the last entry that are not announced yet. */
  #since = 0;
  #newest = 0;
  #last = Number.NEGATIVE_INFINITY;

  constructor(post: PubSub) {
    this.#post = post;
    this.#stop = post.subscribe(topic, (sender) => {
      if (sender !== this.#id) this.#heard();
    });
  }

  /** Announces that entries were written, now or with the next message. */
  announce(): void {
    if (!this.#post.isCrossProcess) return;
    this.#newest = performance.now();
    if (this.#timer === undefined) this.#schedule();
  }

  /** Calls the listener when other processes may have written. Returns a function that unsubscribes. */
  onOthers(listener: () => void): () => void {
    return onGrowth(this.#post, listener, this.#id);
  }

  /** Sends a pending message now and unsubscribes. */
  async close(): Promise<void> {
    this.#stop();
    if (this.#timer !== undefined) await this.#send();
  }

  #heard(): void {
    this.#last = performance.now();
    if (this.#timer === undefined || this.#since + maxDelayMs > this.#last) return;
    this.#clear();
    // An entry that was written just now may not be covered by that message.
    if (this.#newest + maxDelayMs > this.#last) this.#schedule();
  }

  #schedule(): void {
    this.#since = this.#newest;
    const rest = this.#last + minIntervalMs - performance.now();
    // Jitter, so that several processes do not send at the same moment.
    this.#timer = setTimeout(() => void this.#send(), rest > 0 ? rest + Math.random() * minIntervalMs : 0).unref();
  }

  async #send(): Promise<void> {
    this.#clear();
    this.#last = performance.now();
    // Receivers that miss the message poll.
    await this.#post.publish(topic, this.#id).catch(() => undefined);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Calls the listener when a process other than `own` has written to the journal, or may have. */
export function onGrowth(post: PubSub, listener: () => void, own?: string): () => void {
  const stops = [
    post.subscribe(topic, (sender) => {
      if (sender !== own) listener();
    }),
    post.onGap(listener),
  ];
  return () => stops.forEach((stop) => stop());
}
