import { AsyncQueue } from '../../core/async/async-queue.ts';
import type { SessionEvent } from './session-event.ts';

interface WatchedSession {
  /** The newest events, without a gap. Most watchers need no others, so they do not read the store. */
  recent: SessionEvent[];
  readonly watchers: Set<AsyncQueue<null>>;
}

/** A reader that waits for new events of a session. */
export interface Watcher {
  /** Yields when there may be new events. Ends when no more will come and when the signal is aborted. */
  readonly updates: AsyncIterable<null>;
  /** Returns the events after `seq`, or `undefined` when they must be read from the store. */
  recentAfter(seq: number): readonly SessionEvent[] | undefined;
  stop(): void;
}

const maxRecentEvents = 64;

/** The watchers of each session. Events are not queued per watcher: a watcher is woken and reads the events it has not seen. */
export class SessionWatchers {
  readonly #watched = new Map<string, WatchedSession>();
  #isClosed = false;

  /** Returns the sessions that have watchers. */
  sessions(): readonly string[] {
    return [...this.#watched.keys()];
  }

  isWatched(session: string): boolean {
    return this.#watched.has(session);
  }

  /** Wakes the watchers of a session and hands them new events. Must be called in the order of the events. */
  wake(session: string, events: readonly SessionEvent[]): void {
    const watched = this.#watched.get(session);
    if (watched === undefined) return;
    const [first] = events;
    // Another process may have written in between.
    const isContiguous = first !== undefined && watched.recent.at(-1)?.seq === first.seq - 1;
    watched.recent = (isContiguous ? [...watched.recent, ...events] : [...events]).slice(-maxRecentEvents);
    for (const updates of watched.watchers) signalUpdate(updates);
  }

  /** Wakes the watchers of a session when they have not been woken for this sequence number. */
  wakeAt(session: string, seq: number): void {
    if (this.#watched.get(session)?.recent.at(-1)?.seq !== seq) this.wake(session, []);
  }

  /** Adds a watcher. It yields at once, because there may be events already. */
  watch(session: string, signal: AbortSignal): Watcher {
    const updates = new AsyncQueue<null>();
    signalUpdate(updates);
    const end = (): void => updates.end();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted || this.#isClosed) end();
    const watched = this.#watched.get(session) ?? { recent: [], watchers: new Set() };
    watched.watchers.add(updates);
    if (!this.#isClosed) this.#watched.set(session, watched);
    return {
      updates,
      recentAfter: (seq) => {
        const [first] = watched.recent;
        return first === undefined || first.seq > seq + 1 ? undefined : watched.recent.slice(seq + 1 - first.seq);
      },
      stop: () => {
        signal.removeEventListener('abort', end);
        watched.watchers.delete(updates);
        if (watched.watchers.size === 0 && this.#watched.get(session) === watched) this.#watched.delete(session);
      },
    };
  }

  /** Ends the watchers of a session after they have read the existing events. */
  end(session: string): void {
    for (const updates of this.#watched.get(session)?.watchers ?? []) {
      signalUpdate(updates);
      updates.end();
    }
    this.#watched.delete(session);
  }

  /** Ends all watchers. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.sessions()) this.end(session);
  }
}

/** One value is enough: the watcher reads everything that it has not seen. */
function signalUpdate(updates: AsyncQueue<null>): void {
  if (updates.length === 0) updates.push(null);
}
