/**
 * Messages between the processes that share a store. Messages are not stored, and a disconnected process misses them, so they only
 * announce a change in the store, or concern state of their sender.
 */
export interface PubSub {
  /** Whether messages reach other processes. If not, other processes must poll. */
  readonly isCrossProcess: boolean;
  /** Sends a text of any length to every subscribed process, including this one. Messages of one sender arrive in order. */
  publish(topic: string, text: string): Promise<void>;
  /** Subscribes to a topic. Returns a function that unsubscribes. */
  subscribe(topic: string, listener: (text: string) => void): () => void;
  /** Calls the listener after messages may have been lost, so that it can read the store. */
  onGap(listener: () => void): () => void;
}

/** The poll interval in case a message is lost. */
export const fallbackPollMs = 15_000;
