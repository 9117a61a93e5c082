import type { SessionEvent } from './session-event.ts';

interface Watched {
  /** The newest events, one after the other: what most watchers want is read once for all of them. */
  recent: SessionEvent[];
  version: number;
  watchers: number;
  isOver: boolean;
  changed: PromiseWithResolvers<void>;
}

/** One who waits for news of a session. */
export interface Watcher {
  /** What comes after `seq`, where it is at hand; else it is to be read. */
  recentAfter(seq: number): readonly SessionEvent[] | undefined;
  /** Counts the news so far. */
  version(): number;
  /** There will be no more news. */
  isOver(): boolean;
  /** Resolves when there is more news than `version` counted, when there will be no more, and with the signal. */
  newsSince(version: number, signal: AbortSignal): Promise<void>;
  leave(): void;
}

const mostRecent = 64;

/** Who waits for news of which session. Nothing is kept for each of them: they are woken, and read what they have not seen. */
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
    watched.version += 1;
    watched.changed.resolve();
    watched.changed = Promise.withResolvers();
  }

  /** Tells that a session has come so far, should that be news. */
  wakeAt(session: string, seq: number): void {
    if (this.#watched.get(session)?.recent.at(-1)?.seq !== seq) this.wake(session, []);
  }

  enter(session: string): Watcher {
    const watched = this.#watched.get(session) ?? newlyWatched(this.#isClosed);
    this.#watched.set(session, watched);
    watched.watchers += 1;
    return {
      recentAfter: (seq) => {
        const [first] = watched.recent;
        return first === undefined || first.seq > seq + 1 ? undefined : watched.recent.slice(seq + 1 - first.seq);
      },
      version: () => watched.version,
      isOver: () => watched.isOver,
      newsSince: async (version, signal) => {
        if (watched.version !== version || watched.isOver || signal.aborted) return;
        const aborted = Promise.withResolvers<void>();
        const abort = (): void => aborted.resolve();
        signal.addEventListener('abort', abort, { once: true });
        await Promise.race([watched.changed.promise, aborted.promise]);
        signal.removeEventListener('abort', abort);
      },
      leave: () => {
        watched.watchers -= 1;
        if (watched.watchers === 0 && this.#watched.get(session) === watched) this.#watched.delete(session);
      },
    };
  }

  /** Ends the watching of a session, once what there is was read. */
  end(session: string): void {
    const watched = this.#watched.get(session);
    if (watched === undefined) return;
    watched.isOver = true;
    this.wake(session, []);
    this.#watched.delete(session);
  }

  /** Ends all watching. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.sessions()) this.end(session);
  }
}

function newlyWatched(isOver: boolean): Watched {
  return { recent: [], version: 0, watchers: 0, isOver, changed: Promise.withResolvers() };
}
