import type { PubSub } from '../journal/store/pub-sub.ts';
import { PostListeners } from './post-listeners.ts';

/** The post of a store that cannot tell its other processes anything. */
export class LocalPost implements PubSub {
  readonly isCrossProcess = false;
  readonly #listeners = new PostListeners();

  async publish(topic: string, text: string): Promise<void> {
    // As from anywhere else: never before the sender goes on.
    setImmediate(() => this.#listeners.deliver(topic, text));
  }

  subscribe(topic: string, listener: (text: string) => void): () => void {
    return this.#listeners.on(topic, listener);
  }

  onGap(listener: () => void): () => void {
    return this.#listeners.onGap(listener);
  }
}
