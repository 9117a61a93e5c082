import { emitSafely } from '../core/async/emit-safely.ts';
import type { PubSub } from '../journal/store/pub-sub.ts';

/** Pub/sub within one process, for stores that cannot notify other processes. */
export class LocalPubSub implements PubSub {
  readonly isCrossProcess = false;
  readonly #listeners = new TopicListeners();

  async publish(topic: string, text: string): Promise<void> {
    // Asynchronous, as with other drivers: listeners run after the publisher continues.
    setImmediate(() => this.#listeners.deliver(topic, text));
  }

  subscribe(topic: string, listener: (text: string) => void): () => void {
    return this.#listeners.subscribe(topic, listener);
  }

  onGap(listener: () => void): () => void {
    return this.#listeners.onGap(listener);
  }
}

/** The listeners of a pub/sub in this process. */
export class TopicListeners {
  readonly #byTopic = new Map<string, Set<(text: string) => void>>();
  readonly #ofGaps = new Set<() => void>();

  subscribe(topic: string, listener: (text: string) => void): () => void {
    // Each subscription is separate, even when the same function subscribes twice.
    const own = (text: string): void => listener(text);
    const listeners = this.#byTopic.get(topic) ?? new Set();
    this.#byTopic.set(topic, listeners.add(own));
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#byTopic.get(topic) === listeners) this.#byTopic.delete(topic);
    };
  }

  onGap(listener: () => void): () => void {
    const own = (): void => listener();
    this.#ofGaps.add(own);
    return () => this.#ofGaps.delete(own);
  }

  deliver(topic: string, text: string): void {
    for (const listener of this.#byTopic.get(topic) ?? []) emitSafely(listener, text);
  }

  notifyGap(): void {
    for (const listener of this.#ofGaps) emitSafely(listener, undefined);
  }
}
