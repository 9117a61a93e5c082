import type { SessionStore, SessionWrite, StoredSessionEvent } from '../journal/store/session-store.ts';
import { emitSafely } from '../core/async/emit-safely.ts';
import type { SessionEvent, SessionHappening } from './session-event.ts';
import type { SessionPost } from './session-post.ts';
import type { Watchers } from './watchers.ts';

/** What is written together with events. */
export type Along = Omit<SessionWrite, 'session' | 'at' | 'events'>;

interface Item {
  readonly session: string;
  readonly at: number;
  readonly happenings: SessionHappening[];
  readonly along: Along;
  readonly written: PromiseWithResolvers<number | undefined>;
}

/** What the log is made of. */
export interface EventLogParts {
  readonly store: Pick<SessionStore, 'events' | 'write'>;
  readonly watchers: Watchers;
  /** Other processes hear what is written here, and tell what they write. */
  readonly post: SessionPost;
  /** Takes registered secrets out of JSON text. */
  readonly redact: (text: string) => string;
}

const nothing: Along = {};

/**
 * Writes what happens in sessions, and only then tells of it: a seq that somebody has seen is there after a crash too. What
 * happens in the same tick is one write, in all sessions together.
 */
export class EventLog {
  readonly #parts: EventLogParts;
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  #queue: Item[] = [];
  #writing: Promise<void> | undefined;
  #scheduled = false;
  #heard: Promise<void> = Promise.resolve();

  constructor(parts: EventLogParts) {
    this.#parts = parts;
    parts.post.on('events', (written) => {
      for (const [session, first, last] of written) this.#hear(session, first, last);
    });
  }

  /** Tells of every event after it is written, in order. */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes events, and what goes with them. Resolves with the seq of the last one; with `undefined` when the session is gone. */
  write(session: string, happenings: readonly SessionHappening[], along: Along = nothing): Promise<number | undefined> {
    const written = Promise.withResolvers<number | undefined>();
    const last = this.#queue.at(-1);
    const [only] = happenings;
    if (along === nothing && only !== undefined && happenings.length === 1 && joins(last, session, only))
      return last.written.promise;
    this.#queue.push({ session, at: Date.now(), happenings: [...happenings], along, written });
    this.#schedule();
    return written.promise;
  }

  /** Resolves when nothing waits to be written. */
  async drain(): Promise<void> {
    while (this.#queue.length > 0 || this.#writing !== undefined)
      await (this.#writing ?? new Promise<void>((resolve) => setImmediate(resolve)));
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing !== undefined) return;
    this.#scheduled = true;
    setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    this.#scheduled = false;
    this.#writing = this.#commit().finally(() => {
      this.#writing = undefined;
      if (this.#queue.length > 0) this.#schedule();
    });
  };

  async #commit(): Promise<void> {
    const { store } = this.#parts;
    const items = this.#queue;
    this.#queue = [];
    try {
      const writes = items.map((item) => this.#writeOf(item));
      const written = await store.write(writes);
      items.forEach((item, index) => {
        const lastSeq = written[index];
        if (lastSeq !== undefined) this.#tell(item, writes[index]?.events ?? [], lastSeq);
        item.written.resolve(lastSeq);
      });
    } catch (error) {
      for (const { written } of items) written.reject(error);
    }
  }

  #writeOf({ session, at, happenings, along }: Item): SessionWrite {
    const { redact } = this.#parts;
    const { memory, ...rest } = along;
    return {
      ...rest,
      ...(memory === undefined ? {} : { memory: redact(memory) }),
      session,
      at,
      events: happenings.map((happening) => redact(JSON.stringify(happening))),
    };
  }

  #tell({ session, at }: Item, bodies: readonly string[], lastSeq: number): void {
    const { watchers, post } = this.#parts;
    if (bodies.length === 0) return;
    const first = lastSeq - bodies.length + 1;
    post.wrote(session, first, lastSeq);
    if (this.#listeners.size === 0 && !watchers.isWatched(session)) return;
    const events = bodies.map((body, index) => eventOf(session, { seq: first + index, at, body }));
    watchers.wake(session, events);
    this.#tellListeners(events);
  }

  /** Another process wrote events: whoever watches reads them, and listeners are told. */
  #hear(session: string, first: number, last: number): void {
    const { store, watchers } = this.#parts;
    watchers.wake(session, []);
    if (this.#listeners.size === 0) return;
    const read = store.events(session, first - 1, last - first + 1);
    // In the order in which they were heard of. What cannot be read is told to nobody: listeners are told what they are there for.
    this.#heard = this.#heard
      .then(() => read)
      .then(
        (events) => this.#tellListeners(events.map((event) => eventOf(session, event))),
        () => undefined,
      );
  }

  #tellListeners(events: readonly SessionEvent[]): void {
    for (const event of events) for (const listener of this.#listeners) emitSafely(listener, event);
  }
}

/** An event as it is told. */
export function eventOf(sessionId: string, { seq, at, body }: StoredSessionEvent): SessionEvent {
  return { seq, sessionId, at: new Date(at).toISOString(), ...(JSON.parse(body) as SessionHappening) };
}

/** What comes piece by piece, faster than it is written, becomes one piece. */
function joins(item: Item | undefined, session: string, next: SessionHappening): item is Item {
  if (item?.session !== session || item.along !== nothing) return false;
  const joined = joinedWith(item.happenings.at(-1), next);
  if (joined === undefined) return false;
  item.happenings[item.happenings.length - 1] = joined;
  return true;
}

function joinedWith(last: SessionHappening | undefined, next: SessionHappening): SessionHappening | undefined {
  if (last === undefined) return undefined;
  if ('text' in next && 'text' in last && last.type === next.type) return { ...last, text: last.text + next.text };
  if (!('toolCallId' in next) || !('toolCallId' in last) || last.toolCallId !== next.toolCallId) return undefined;
  if (next.type === 'tool_call_delta' && last.type === 'tool_call_delta')
    return { ...last, inputJson: last.inputJson + next.inputJson };
  // Only how far it has come by now is news.
  return next.type === 'tool_progress' && last.type === 'tool_progress' ? next : undefined;
}
