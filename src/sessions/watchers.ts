import { AsyncQueue } from '../core/async/async-queue.ts';
import type { SessionEvent } from './session-event.ts';

interface Watched {
  /** The newest events, without a gap: most watchers need nothing else, and these are read once for all of them. */
  recent: SessionEvent[];
  readonly watchers: Set<AsyncQueue<null>>;
}

/** A reader who waits for news of a session. */
export interface Watcher {
  /** One value when there may be news to read, however much; ends when there will be no more, and with the signal. */
  readonly news: AsyncIterable<null>;
  /** Returns the events after `seq`, or `undefined` when they must be read from the store. */
  recentAfter(seq: number): readonly SessionEvent[] | undefined;
  leave(): void;
}

const mostRecent = 64;

/** The watchers of each session. No events are kept for a watcher: it is woken, and reads those that it has not seen. */
export class Watchers {
  readonly #watched = new Map<string, Watched>();
  #isClosed = false;

  /** The sessions that somebody watches. */
  sessions(): readonly string[] {
    return [...this.#watched.keys()];
  }

  isWatched(session: string): boolean {
    return this.#watched.has(session);
  }

  /** Tells that something happened in a session, in the order in which it did. */
  wake(session: string, events: readonly SessionEvent[]): void {
    const watched = this.#watched.get(session);
    if (watched === undefined) return;
    const [first] = events;
    // Another process may have written in between.
    const goesOn = first !== undefined && watched.recent.at(-1)?.seq === first.seq - 1;
    watched.recent = (goesOn ? [...watched.recent, ...events] : [...events]).slice(-mostRecent);
    for (const news of watched.watchers) announce(news);
  }

  /** Tells that a session has come so far, should that be news. */
  wakeAt(session: string, seq: number): void {
    if (this.#watched.get(session)?.recent.at(-1)?.seq !== seq) this.wake(session, []);
  }

  /** Adds a watcher, who looks at once: there may be events already. */
  enter(session: string, signal: AbortSignal): Watcher {
    const news = new AsyncQueue<null>();
    announce(news);
    const end = (): void => news.end();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted || this.#isClosed) end();
    const watched = this.#watched.get(session) ?? { recent: [], watchers: new Set() };
    watched.watchers.add(news);
    if (!this.#isClosed) this.#watched.set(session, watched);
    return {
      news,
      recentAfter: (seq) => {
        const [first] = watched.recent;
        return first === undefined || first.seq > seq + 1 ? undefined : watched.recent.slice(seq + 1 - first.seq);
      },
      leave: () => {
        signal.removeEventListener('abort', end);
        watched.watchers.delete(news);
        if (watched.watchers.size === 0 && this.#watched.get(session) === watched) this.#watched.delete(session);
      },
    };
  }

  /** Ends the watching of a session, once what there is was read. */
  end(session: string): void {
    for (const news of this.#watched.get(session)?.watchers ?? []) {
      announce(news);
      news.end();
    }
    this.#watched.delete(session);
  }

  /** Ends all watching. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.sessions()) this.end(session);
  }
}

/** One value is enough: the watcher reads everything that it has not seen. */
function announce(news: AsyncQueue<null>): void {
  if (news.length === 0) news.push(null);
}
