interface Watched {
  version: number;
  watchers: number;
  isOver: boolean;
  changed: PromiseWithResolvers<void>;
}

/** One who waits for news of a session. */
export interface Watcher {
  /** Counts the news so far. */
  version(): number;
  /** There will be no more news. */
  isOver(): boolean;
  /** Resolves when there is more news than `version` counted, when there will be no more, and with the signal. */
  newsSince(version: number, signal: AbortSignal): Promise<void>;
  leave(): void;
}

/** Who waits for news of which session. Nothing is kept for them: they are woken, and read what they have not seen. */
export class Watchers {
  readonly #watched = new Map<string, Watched>();
  #isClosed = false;

  /** The sessions that somebody watches. */
  sessions(): readonly string[] {
    return [...this.#watched.keys()];
  }

  wake(session: string): void {
    const watched = this.#watched.get(session);
    if (watched === undefined) return;
    watched.version += 1;
    watched.changed.resolve();
    watched.changed = Promise.withResolvers();
  }

  enter(session: string): Watcher {
    const watched = this.#watched.get(session) ?? newlyWatched(this.#isClosed);
    this.#watched.set(session, watched);
    watched.watchers += 1;
    return {
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
    this.wake(session);
    this.#watched.delete(session);
  }

  /** Ends all watching. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.sessions()) this.end(session);
  }
}

function newlyWatched(isOver: boolean): Watched {
  return { version: 0, watchers: 0, isOver, changed: Promise.withResolvers() };
}
