import { randomUUID } from 'node:crypto';
import type { PubSub } from './store/pub-sub.ts';

const topic = 'journal';
/** A busy journal is not told of for every entry: so long lies at least between two notes, whoever sent the first. */
const restMs = 25;
/** A note that comes so long after an entry was written was sent after it too. */
const sureMs = 10;

/**
 * Tells the other processes of a store that the journal has grown. Whoever hears a note reads all there is, so one note serves
 * every process that has something to tell: however many write, together they send some forty in a second.
 */
export class GrowthAnnouncer {
  readonly #post: PubSub;
  readonly #id: string = randomUUID();
  readonly #stop: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** Since when there is something to tell, and since when all of it. */
  #since = 0;
  #newest = 0;
  #last = Number.NEGATIVE_INFINITY;

  constructor(post: PubSub) {
    this.#post = post;
    this.#stop = post.subscribe(topic, (sender) => {
      if (sender !== this.#id) this.#heard();
    });
  }

  /** Entries were written. */
  announce(): void {
    if (!this.#post.isCrossProcess) return;
    this.#newest = performance.now();
    if (this.#timer === undefined) this.#schedule();
  }

  /** Tells when others have written, or may have; returns how to stop. */
  onOthers(listener: () => void): () => void {
    return onGrowth(this.#post, listener, this.#id);
  }

  /** Tells at once what is still to be told, and listens no more. */
  async close(): Promise<void> {
    this.#stop();
    if (this.#timer !== undefined) await this.#send();
  }

  #heard(): void {
    this.#last = performance.now();
    if (this.#timer === undefined || this.#since + sureMs > this.#last) return;
    this.#clear();
    // What was written just now may have come after that note.
    if (this.#newest + sureMs > this.#last) this.#schedule();
  }

  #schedule(): void {
    this.#since = this.#newest;
    const rest = this.#last + restMs - performance.now();
    // Not all at once, when several wait for the same moment.
    this.#timer = setTimeout(() => void this.#send(), rest > 0 ? rest + Math.random() * restMs : 0).unref();
  }

  async #send(): Promise<void> {
    this.#clear();
    this.#last = performance.now();
    // Whoever misses it looks now and then.
    await this.#post.publish(topic, this.#id).catch(() => undefined);
  }

  #clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Tells when the journal has grown, or may have, by others than `own`. */
export function onGrowth(post: PubSub, listener: () => void, own?: string): () => void {
  const stops = [
    post.subscribe(topic, (sender) => {
      if (sender !== own) listener();
    }),
    post.onGap(listener),
  ];
  return () => stops.forEach((stop) => stop());
}
