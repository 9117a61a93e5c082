import { setImmediate as breath } from 'node:timers/promises';
import type { z } from '@hono/zod-openapi';
import type { CallerChange } from '../../pipeline/approvals/approval-inbox.ts';
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

/** What a client wants to hear of: kinds (`journal`, `session`, `catalog`, `approval`) and types (`ToolInvoked`, `text_delta`); all without it. */
export type WantedTypes = ReadonlySet<string> | undefined;

interface Listening {
  /** Resolves when it is known where the journal stands. */
  readonly begun: Promise<void>;
  stop(): void;
}

/** What a stream carries. */
interface LiveRequest {
  /** The last journal entry that the client has. */
  readonly after: number | undefined;
  readonly wants: WantedTypes;
  /** Whether hidden parts of calls are in the events of sessions. */
  readonly isWhole: boolean;
}

interface Watcher extends Pick<LiveRequest, 'wants' | 'isWhole'> {
  /** The newest entry it has. */
  readonly seq: number;
  readonly queue: FrameQueue;
}

const page = { limit: 200, bytes: 128 * 1024 };
const mostBehind = 256 * 1024;
/** Told at a time: those who read are given the time to, so that only those who do not are ever far behind. */
const longestBreath = 32 * 1024;

/**
 * Everything that happens, live. Entries of the journal have their seq as id, and so come without a gap to whoever was away;
 * the rest is told to those who are there. Each event is written once, however many watch, and nothing is done while nobody does.
 */
export class LiveEvents {
  readonly #box: InternalSignalbox;
  readonly #sessions: Sessions | undefined;
  readonly #redacted: SessionRedactor;
  readonly #watchers = new Set<Watcher>();
  #streams = 0;
  #listening: Listening | undefined;
  /** The newest entry that watchers were told of. */
  #told = 0;

  constructor(box: InternalSignalbox, sessions: Sessions | undefined, redacted: SessionRedactor) {
    this.#box = box;
    this.#sessions = sessions;
    this.#redacted = redacted;
  }

  /** Opens a stream: the entries after `after`, `ready`, and then what happens. */
  async open(request: LiveRequest, signal: AbortSignal): Promise<OpenedStream> {
    // Who is gone already will not be heard leaving.
    if (signal.aborted) return { frames: new FrameQueue(0, signal) };
    this.#streams += 1;
    signal.addEventListener('abort', this.#leave, { once: true });
    this.#listening ??= this.#listen();
    await this.#listening.begun;
    const from = wantsEntries(request.wants) ? await this.#begin(request.after) : this.#told;
    return { after: from, frames: this.#frames(from, request, signal) };
  }

  /** A place that the journal has not reached is of another journal: what that one did not get to must not be waited for. */
  async #begin(after = this.#told): Promise<number> {
    return after <= this.#told ? after : Math.min(after, await this.#newest());
  }

  async #newest(): Promise<number> {
    const { items } = await this.#box.journal.query({ limit: 1 });
    return items[0]?.seq ?? 0;
  }

  async *#frames(from: number, { wants, isWhole }: LiveRequest, signal: AbortSignal): AsyncGenerator<string> {
    let seq = from;
    do {
      const { items } = await this.#box.journal.query({ after: seq, order: 'oldest-first', ...page });
      for (const entry of items) {
        seq = entry.seq;
        if (isWanted(wants, 'journal', entry.type)) yield entryFrame(entry);
      }
    } while (seq < this.#told);
    const queue = new FrameQueue(mostBehind, signal);
    const watcher = { wants, isWhole, seq, queue };
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
    if (this.#streams === 0) this.#listening?.stop();
  };

  #listen(): Listening {
    const controller = new AbortController();
    const unsubscribe = [
      this.#sessions?.subscribe((event) => this.#tellOfSession(event)),
      this.#box.on(
        'CatalogChanged',
        (catalog) => void this.#tell('catalog', 'CatalogChanged', () => catalogFrame(catalog)),
      ),
    ];
    const stop = (): void => {
      this.#listening = undefined;
      controller.abort();
      for (const end of unsubscribe) end?.();
    };
    const following = this.#box.approvals.followCallers(
      (change) => void this.#tell('approval', 'ApprovalCallerChanged', () => callerFrame(change)),
    );
    const begun = Promise.all([this.#newest(), following]).then(
      ([newest, unfollow]) => {
        unsubscribe.push(unfollow);
        if (controller.signal.aborted) unfollow();
        this.#told = newest;
        void this.#follow(controller.signal, stop);
      },
      (error: unknown) => {
        stop();
        throw error;
      },
    );
    return { begun, stop };
  }

  async #follow(signal: AbortSignal, stop: () => void): Promise<void> {
    try {
      let told = 0;
      for await (const entry of this.#box.journal.stream({ after: this.#told }, { follow: true, signal })) {
        this.#told = entry.seq;
        told += this.#tell('journal', entry.type, () => entryFrame(entry), entry.seq);
        if (told < longestBreath) continue;
        told = 0;
        await breath();
      }
    } catch (error) {
      if (signal.aborted) return;
      // Nobody may be left with a stream that stays silent about the journal.
      stop();
      for (const { queue } of this.#watchers) queue.fail(error);
    }
  }

  #tellOfSession(event: SessionEvent): void {
    this.#tell(
      'session',
      event.type,
      () => sessionFrame(event),
      undefined,
      ({ isWhole }) => isWhole,
    );
    const isRedacted = ({ isWhole }: Watcher): boolean => !isWhole;
    if (![...this.#watchers].some(isRedacted)) return;
    const redacted = this.#redacted.event(event);
    if (redacted !== undefined) this.#tell('session', event.type, () => sessionFrame(redacted), undefined, isRedacted);
  }

  /** Tells those who want it; how much that was. */
  #tell(
    kind: string,
    type: string,
    write: () => string,
    seq = Number.POSITIVE_INFINITY,
    isFor: (watcher: Watcher) => boolean = () => true,
  ): number {
    let frame: string | undefined;
    for (const watcher of this.#watchers) {
      if (!isFor(watcher)) continue;
      if (seq > watcher.seq && isWanted(watcher.wants, kind, type)) watcher.queue.push((frame ??= write()));
    }
    return frame?.length ?? 0;
  }
}

function wantsEntries(wants: WantedTypes): boolean {
  return wants === undefined || entryTypes.some((type) => isWanted(wants, 'journal', type));
}

function isWanted(wants: WantedTypes, kind: string, type: string): boolean {
  return wants === undefined || wants.has(kind) || wants.has(type);
}

function entryFrame(entry: JournalEvent): string {
  return toEventFrame({ id: entry.seq, event: 'journal', data: entry });
}

/** Without an id: seqs of sessions count apart, and would be taken for places in the journal. */
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
