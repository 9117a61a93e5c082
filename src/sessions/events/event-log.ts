import type { SessionStore, SessionWrite, StoredSessionEvent } from '../../journal/store/session-store.ts';
import { emitSafely } from '../../core/async/emit-safely.ts';
import type { SessionEvent, SessionEventBody } from './session-event.ts';
import type { SessionPubSub } from '../session-pub-sub.ts';
import type { SessionWatchers } from './watchers.ts';

/** The changes that are written in the same transaction as events. */
export type WriteExtras = Omit<SessionWrite, 'session' | 'at' | 'events'>;

interface Item {
  readonly session: string;
  readonly at: number;
  readonly events: SessionEventBody[];
  readonly extras: WriteExtras;
  readonly written: PromiseWithResolvers<number | undefined>;
}

/** The dependencies of an event log. */
interface EventLogOptions {
  readonly store: Pick<SessionStore, 'events' | 'write'>;
  readonly watchers: SessionWatchers;
  /** Exchanges announcements of written events with other processes. */
  readonly pubSub: SessionPubSub;
  /** Removes registered secrets from JSON text. */
  readonly redact: (text: string) => string;
}

const nothing: WriteExtras = {};

/**
 * Writes session events to the store and then emits them, so an event that a client has seen survives a crash. Events of the
 * same tick, from all sessions, are one write.
 */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  #queue: Item[] = [];
  #writing: Promise<void> | undefined;
  #scheduled = false;
  #remoteReads: Promise<void> = Promise.resolve();

  constructor(options: EventLogOptions) {
    this.#options = options;
    options.pubSub.on('events', (written) => {
      for (const [session, first, last] of written) this.#handleRemote(session, first, last);
    });
  }

  /** Calls the listener with every event after it is written, in order. */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes events and the changes that belong to them. Resolves with the last `seq`; with `undefined` when the session was deleted. */
  write(
    session: string,
    events: readonly SessionEventBody[],
    extras: WriteExtras = nothing,
  ): Promise<number | undefined> {
    const written = Promise.withResolvers<number | undefined>();
    const last = this.#queue.at(-1);
    const [only] = events;
    if (extras === nothing && only !== undefined && events.length === 1 && tryJoin(last, session, only))
      return last.written.promise;
    this.#queue.push({ session, at: Date.now(), events: [...events], extras, written });
    this.#schedule();
    return written.promise;
  }

  /** Resolves when all queued events are written. */
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
    const { store } = this.#options;
    const items = this.#queue;
    this.#queue = [];
    try {
      const writes = items.map((item) => this.#toWrite(item));
      const written = await store.write(writes);
      items.forEach((item, index) => {
        const lastSeq = written[index];
        if (lastSeq !== undefined) this.#emit(item, writes[index]?.events ?? [], lastSeq);
        item.written.resolve(lastSeq);
      });
    } catch (error) {
      for (const { written } of items) written.reject(error);
    }
  }

  #toWrite({ session, at, events, extras }: Item): SessionWrite {
    const { redact } = this.#options;
    const { memory, ...rest } = extras;
    return {
      ...rest,
      ...(memory === undefined ? {} : { memory: redact(memory) }),
      session,
      at,
      events: events.map((event) => redact(JSON.stringify(event))),
    };
  }

  #emit({ session, at }: Item, bodies: readonly string[], lastSeq: number): void {
    const { watchers, pubSub } = this.#options;
    if (bodies.length === 0) return;
    const first = lastSeq - bodies.length + 1;
    pubSub.publishWritten(session, first, lastSeq);
    if (this.#listeners.size === 0 && !watchers.isWatched(session)) return;
    const events = bodies.map((body, index) => toSessionEvent(session, { seq: first + index, at, body }));
    watchers.wake(session, events);
    this.#callListeners(events);
  }

  /** Handles events of another process: wakes watchers and calls listeners. */
  #handleRemote(session: string, first: number, last: number): void {
    const { store, watchers } = this.#options;
    watchers.wake(session, []);
    if (this.#listeners.size === 0) return;
    const read = store.events(session, first - 1, last - first + 1);
    // Keeps the order of the announcements. Events that cannot be read are skipped.
    this.#remoteReads = this.#remoteReads
      .then(() => read)
      .then(
        (events) => this.#callListeners(events.map((event) => toSessionEvent(session, event))),
        () => undefined,
      );
  }

  #callListeners(events: readonly SessionEvent[]): void {
    for (const event of events) for (const listener of this.#listeners) emitSafely(listener, event);
  }
}

/** Converts a stored event to the event that clients receive. */
export function toSessionEvent(sessionId: string, { seq, at, body }: StoredSessionEvent): SessionEvent {
  return { seq, sessionId, at: new Date(at).toISOString(), ...(JSON.parse(body) as SessionEventBody) };
}

/** Joins a delta with the queued one before it, when events arrive faster than they are written. */
function tryJoin(item: Item | undefined, session: string, next: SessionEventBody): item is Item {
  if (item?.session !== session || item.extras !== nothing) return false;
  const joined = joinBodies(item.events.at(-1), next);
  if (joined === undefined) return false;
  item.events[item.events.length - 1] = joined;
  return true;
}

function joinBodies(last: SessionEventBody | undefined, next: SessionEventBody): SessionEventBody | undefined {
  if (last === undefined) return undefined;
  if ('text' in next && 'text' in last && last.type === next.type) return { ...last, text: last.text + next.text };
  if (!('toolCallId' in next) || !('toolCallId' in last) || last.toolCallId !== next.toolCallId) return undefined;
  if (next.type === 'tool_call_delta' && last.type === 'tool_call_delta')
    return { ...last, inputJson: last.inputJson + next.inputJson };
  // Only the latest progress matters.
  return next.type === 'tool_progress' && last.type === 'tool_progress' ? next : undefined;
}
