/**
 * What processes that share a store tell each other. Nothing is kept: whoever is not there misses it, so a note says where to
 * look, or is about something that its sender holds.
 */
export interface PubSub {
  /** Whether notes reach the other processes of the store; where they do not, those have to look now and then. */
  readonly isCrossProcess: boolean;
  /** Tells every process that listens, this one too. Notes of one sender arrive in order. Texts of any length. */
  publish(topic: string, text: string): Promise<void>;
  /** Listens to a topic; returns how to stop. */
  subscribe(topic: string, listener: (text: string) => void): () => void;
  /** Notes may have been missed, and no more are for the moment: look at everything once. */
  onGap(listener: () => void): () => void;
}

/** How often one looks who could have been told: should a note get lost, this is how late one is. */
export const fallbackPollMs = 15_000;
