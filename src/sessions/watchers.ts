interface Watched {
  version: number;
  watchers: number;
  changed: PromiseWithResolvers<void>;
}

/** One who waits for news of a session. */
export interface Watcher {
  /** Counts the news so far. */
  version(): number;
  /** Resolves when there is more news than `version` counted, when all watching ends, and with the signal. */
  newsSince(version: number, signal: AbortSignal): Promise<void>;
  leave(): void;
}

/** Who waits for news of which session. Nothing is kept for them: they are woken, and read what they have not seen. */
export class Watchers {
  readonly #watched = new Map<string, Watched>();
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  sessions(): Iterable<string> {
    return this.#watched.keys();
  }

  wake(session: string): void {
    const watched = this.#watched.get(session);
    if (watched === undefined) return;
    watched.version += 1;
    watched.changed.resolve();
    watched.changed = Promise.withResolvers();
  }

  enter(session: string): Watcher {
    const watched = this.#watched.get(session) ?? { version: 0, watchers: 0, changed: Promise.withResolvers() };
    this.#watched.set(session, watched);
    watched.watchers += 1;
    return {
      version: () => watched.version,
      newsSince: async (version, signal) => {
        if (watched.version !== version || this.#isClosed || signal.aborted) return;
        const aborted = Promise.withResolvers<void>();
        const abort = (): void => aborted.resolve();
        signal.addEventListener('abort', abort, { once: true });
        await Promise.race([watched.changed.promise, aborted.promise]);
        signal.removeEventListener('abort', abort);
      },
      leave: () => {
        watched.watchers -= 1;
        if (watched.watchers === 0) this.#watched.delete(session);
      },
    };
  }

  /** Ends all watching, once what there is was read. */
  close(): void {
    this.#isClosed = true;
    for (const session of this.#watched.keys()) this.wake(session);
  }
}
