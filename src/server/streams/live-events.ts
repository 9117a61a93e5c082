import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from '@hono/zod-openapi';
import type { CallerChange } from '../../pipeline/approvals/approvals.ts';
import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import type { JournalEvent } from '../../journal/entries/journal-event.ts';
import type { SessionEvent } from '../../sessions/events/session-event.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import { toServer } from '../routes/tools/catalog-document.ts';
import { FrameQueue } from './frame-queue.ts';
import { entryTypes } from '../schemas/journal-schemas.ts';
import type { callerChangeSchema, catalogChangeSchema, readySchema } from '../schemas/live-event-schemas.ts';
import type { SessionRedactor } from '../routes/sessions/session-redactor.ts';
import { type OpenedStream, toEventFrame } from './event-streams.ts';

/** A filter of kinds (`journal`, `session`, `catalog`, `approval`) and types (`ToolInvoked`, `text_delta`); `undefined` selects all. */
type EventFilter = ReadonlySet<string> | undefined;

interface Subscription {
  /** Resolves when the newest seq of the journal is known. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** The request of a stream. */
interface LiveRequest {
  /** The last journal entry that the client received. */
  readonly after: number | undefined;
  readonly filter: EventFilter;
  /** Whether the client may see the hidden parts of calls. */
  readonly canSeeHidden: boolean;
}

interface Watcher extends Pick<LiveRequest, 'filter' | 'canSeeHidden'> {
  /** The newest entry that was sent. */
  readonly seq: number;
  readonly queue: FrameQueue;
}

const page = { limit: 200, bytes: 128 * 1024 };
const maxQueueLength = 256 * 1024;
/** After this many characters, clients get a turn of the event loop to read, so that only slow ones fall behind. */
const maxLengthPerTurn = 32 * 1024;

/**
 * The live events of the journal, sessions, catalog and approvals. Journal entries have their seq as event id, so clients resume
 * without a gap; other events are live only. Each event is serialized once for all clients. Nothing is subscribed without a client.
 */
export class LiveEvents {
  readonly #box: InternalSignalbox;
  readonly #sessions: Sessions | undefined;
  readonly #redacted: SessionRedactor;
  readonly #watchers = new Set<Watcher>();
  #streams = 0;
  #subscription: Subscription | undefined;
  /** The newest entry that was sent to watchers. */
  #sentSeq = 0;

  constructor(box: InternalSignalbox, sessions: Sessions | undefined, redacted: SessionRedactor) {
    this.#box = box;
    this.#sessions = sessions;
    this.#redacted = redacted;
  }

  /** Opens a stream with the entries after `after`, the event `ready`, and then live events. */
  async open(request: LiveRequest, signal: AbortSignal): Promise<OpenedStream> {
    // An aborted signal emits no event.
    if (signal.aborted) return { frames: new FrameQueue(0, signal) };
    this.#streams += 1;
    signal.addEventListener('abort', this.#leave, { once: true });
    this.#subscription ??= this.#subscribe();
    await this.#subscription.ready;
    const startSeq = includesJournal(request.filter) ? await this.#startSeq(request.after) : this.#sentSeq;
    return { after: startSeq, frames: this.#frames(startSeq, request, signal) };
  }

  /** Returns the seq to start after. A seq beyond the end of the journal belongs to another journal, so the end is used instead. */
  async #startSeq(after = this.#sentSeq): Promise<number> {
    return after <= this.#sentSeq ? after : Math.min(after, await this.#newest());
  }

  async #newest(): Promise<number> {
    const { items } = await this.#box.journal.query({ limit: 1 });
    return items[0]?.seq ?? 0;
  }

  async *#frames(startSeq: number, { filter, canSeeHidden }: LiveRequest, signal: AbortSignal): AsyncGenerator<string> {
    let seq = startSeq;
    do {
      const { items } = await this.#box.journal.query({ after: seq, order: 'oldest-first', ...page });
      for (const entry of items) {
        seq = entry.seq;
        if (matchesFilter(filter, 'journal', entry.type)) yield entryFrame(entry);
      }
    } while (seq < this.#sentSeq);
    const queue = new FrameQueue(maxQueueLength, signal);
    const watcher = { filter, canSeeHidden, seq, queue };
    this.#watchers.add(watcher);
    try {
      const ready: z.output<typeof readySchema> = { seq, catalog: this.#box.catalog().version };
      yield toEventFrame({ id: seq, event: 'ready', data: ready });
      yield* queue;
    } finally {
      this.#watchers.delete(watcher);
    }
  }

  readonly #leave = (): void => {
    this.#streams -= 1;
    if (this.#streams === 0) this.#subscription?.stop();
  };

  #subscribe(): Subscription {
    const controller = new AbortController();
    const unsubscribe = [
      this.#sessions?.subscribe((event) => this.#emitSessionEvent(event)),
      this.#box.on(
        'CatalogChanged',
        (catalog) => void this.#emit('catalog', 'CatalogChanged', () => catalogFrame(catalog)),
      ),
    ];
    const stop = (): void => {
      this.#subscription = undefined;
      controller.abort();
      for (const end of unsubscribe) end?.();
    };
    const callerUpdates = this.#box.approvals.followCallers(
      (change) => void this.#emit('approval', 'ApprovalCallerChanged', () => callerFrame(change)),
    );
    const ready = Promise.all([this.#newest(), callerUpdates]).then(
      ([newest, unfollow]) => {
        unsubscribe.push(unfollow);
        if (controller.signal.aborted) unfollow();
        this.#sentSeq = newest;
        void this.#follow(controller.signal, stop);
      },
      (error: unknown) => {
        stop();
        throw error;
      },
    );
    return { ready, stop };
  }

  async #follow(signal: AbortSignal, stop: () => void): Promise<void> {
    try {
      let sentLength = 0;
      for await (const entry of this.#box.journal.stream({ after: this.#sentSeq }, { follow: true, signal })) {
        this.#sentSeq = entry.seq;
        sentLength += this.#emit('journal', entry.type, () => entryFrame(entry), entry.seq);
        if (sentLength < maxLengthPerTurn) continue;
        sentLength = 0;
        await nextTurn();
      }
    } catch (error) {
      if (signal.aborted) return;
      // A stream without journal entries would look complete, so every stream fails.
      stop();
      for (const { queue } of this.#watchers) queue.fail(error);
    }
  }

  #emitSessionEvent(event: SessionEvent): void {
    this.#emit(
      'session',
      event.type,
      () => sessionFrame(event),
      undefined,
      ({ canSeeHidden }) => canSeeHidden,
    );
    const isRedacted = ({ canSeeHidden }: Watcher): boolean => !canSeeHidden;
    if (![...this.#watchers].some(isRedacted)) return;
    const redacted = this.#redacted.event(event);
    if (redacted !== undefined) this.#emit('session', event.type, () => sessionFrame(redacted), undefined, isRedacted);
  }

  /** Sends an event to the clients that want it. Returns its length; 0 when none does. */
  #emit(
    kind: string,
    type: string,
    format: () => string,
    seq = Number.POSITIVE_INFINITY,
    isRecipient: (watcher: Watcher) => boolean = () => true,
  ): number {
    let frame: string | undefined;
    for (const watcher of this.#watchers) {
      if (!isRecipient(watcher)) continue;
      if (seq > watcher.seq && matchesFilter(watcher.filter, kind, type)) watcher.queue.push((frame ??= format()));
    }
    return frame?.length ?? 0;
  }
}

function includesJournal(filter: EventFilter): boolean {
  return filter === undefined || entryTypes.some((type) => matchesFilter(filter, 'journal', type));
}

function matchesFilter(filter: EventFilter, kind: string, type: string): boolean {
  return filter === undefined || filter.has(kind) || filter.has(type);
}

function entryFrame(entry: JournalEvent): string {
  return toEventFrame({ id: entry.seq, event: 'journal', data: entry });
}

/** Has no id, because clients would use the seq of a session as one of the journal. */
function sessionFrame(event: SessionEvent): string {
  return toEventFrame({ event: 'session', data: event });
}

function callerFrame(change: CallerChange): string {
  const event: z.output<typeof callerChangeSchema> = { type: 'ApprovalCallerChanged', ...change };
  return toEventFrame({ event: 'approval', data: event });
}

function catalogFrame({ version, tools, servers }: CatalogSnapshot): string {
  const change: z.output<typeof catalogChangeSchema> = {
    type: 'CatalogChanged',
    version,
    tools: tools.length,
    servers: servers.map(toServer),
  };
  return toEventFrame({ event: 'catalog', data: change });
}
