import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import type { ArchivedEntry } from '../pruning/archive-file.ts';
import { type StoredEntry, bodyBytes, toEvent } from '../entries/stored-entry.ts';
import type { CallSettled, CallStarted, JournalEvent, ToolInvoked } from '../entries/journal-event.ts';
import type { Journal } from '../journal.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { normalizeName } from '../../core/text/normalize-name.ts';
import { GrowthWatcher } from '../journal-growth.ts';
import type { Beginning } from '../store/drop-request.ts';
import { type Statistics, type StatisticsQuery, computeStatistics } from './statistics.ts';
import type { ChainHead, EntryQuery, Store } from '../store/store.ts';
import { type JournalVerification, verifyJournal } from '../integrity/verify-journal.ts';

/** A query of the journal; newest first by default. */
export type JournalQuery = Partial<Omit<EntryQuery, 'calls'>>;

/** A page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The next page: pass it as `before` (newest first) or `after` (oldest first). */
  readonly next?: number;
}

const defaultPageSize = 100;
const maxPageSize = 1000;
const maxPageBytes = 4 * 1024 * 1024;

/** Entries are written in chunks, because a system call for each would take longer than reading them. */
const exportChunkLength = 64 * 1024;

/** Reads the journal. Its methods see all entries that were written before the call, including those of other processes. */
export class JournalReader {
  readonly #store: Store;
  readonly #journal: Journal | undefined;
  readonly #recordedName: (name: string) => string;

  /** With the journal of this process, followers get its entries immediately. */
  constructor(store: Store, journal?: Journal, recordedName: (name: string) => string = normalizeName) {
    this.#store = store;
    this.#journal = journal;
    this.#recordedName = recordedName;
  }

  /** Returns the name of a session or principal as the journal records it. */
  recordedName(name: string): string {
    return this.#recordedName(name);
  }

  /** The location of the journal. */
  get location(): string {
    return this.#store.location;
  }

  /** Returns a page of entries, newest first. */
  query(query: JournalQuery = {}): Promise<Page<JournalEvent>> {
    return this.#page(query, false);
  }

  /** Returns one entry for each call, newest first: `ToolInvoked`, or `CallStarted` while it runs. */
  async calls(query: JournalQuery = {}): Promise<Page<ToolInvoked | CallStarted>> {
    const page = (await this.#page(query, true)) as Page<ToolInvoked | CallStarted>;
    return { ...page, items: await Promise.all(page.items.map((call) => this.#withSettlement(call))) };
  }

  /** Returns the latest entry of one call. */
  async call(id: string): Promise<ToolInvoked | CallStarted | undefined> {
    const { items } = await this.calls({ call: id, limit: 1 });
    return items[0];
  }

  /** Returns counts and durations of the calls in a period. */
  statistics(query: StatisticsQuery): Promise<Statistics> {
    return computeStatistics(this.#store, query);
  }

  /** Returns the complete outcome of a call, without secrets, if it was recorded apart from its entry. */
  async recording(call: string): Promise<CallOutcome | undefined> {
    const text = await this.#store.recording(call);
    return text === undefined ? undefined : (JSON.parse(text) as CallOutcome);
  }

  /** Returns the beginning of the journal: the last entry that was pruned. */
  beginning(): Promise<Beginning> {
    return this.#store.beginning();
  }

  /** Recomputes the hash chain, and checks seal, index and stored records against it. `expected` is a head that was stored outside the journal, `archive` the pruned entries. */
  verify(
    options: { expected?: ChainHead; archive?: AsyncIterable<ArchivedEntry>; signal?: AbortSignal } = {},
  ): Promise<JournalVerification> {
    return verifyJournal(this.#store, options);
  }

  /** Yields every matching entry, oldest first. With `follow`, continues with new entries until `signal` aborts. */
  async *stream(
    query: JournalQuery = {},
    options: { follow?: boolean; signal?: AbortSignal } = {},
  ): AsyncGenerator<JournalEvent> {
    let after = query.after ?? 0;
    const news =
      options.follow === true ? new GrowthWatcher(this.#store.pubSub, this.#journal, options.signal) : undefined;
    try {
      while (options.signal?.aborted !== true) {
        const wanted = { ...query, order: 'oldest-first', limit: maxPageSize, bytes: maxPageBytes, after } as const;
        const entries = await this.#store.entries(wanted);
        for (const entry of entries) {
          yield toEvent(entry);
          after = entry.seq;
        }
        if (isCut(entries, wanted)) continue;
        if (news === undefined) return;
        await news.wait();
      }
    } finally {
      news?.close();
    }
  }

  /** Writes every entry as a JSON line, oldest first, in chunks. Returns the number of entries. */
  async export(write: (text: string) => Promise<unknown>, options: { signal?: AbortSignal } = {}): Promise<number> {
    let chunk = '';
    let entries = 0;
    for await (const event of this.stream({}, options)) {
      if (options.signal?.aborted === true) break;
      chunk += `${JSON.stringify(event)}\n`;
      entries += 1;
      if (chunk.length < exportChunkLength) continue;
      await write(chunk);
      chunk = '';
    }
    if (chunk !== '') await write(chunk);
    return entries;
  }

  async #withSettlement(call: ToolInvoked | CallStarted): Promise<ToolInvoked | CallStarted> {
    if (call.type === 'CallStarted' || call.outcome !== 'unknown') return call;
    const { callId } = call;
    const [entry] = await this.#store.entries({ order: 'newest-first', limit: 1, call: callId, type: 'CallSettled' });
    if (entry === undefined) return call;
    const { as, by, at, note } = toEvent(entry) as CallSettled;
    return { ...call, settled: omitUndefined({ as, by, at, note }) };
  }

  async #page(query: JournalQuery, calls: boolean): Promise<Page<JournalEvent>> {
    const limit = Math.min(query.limit ?? defaultPageSize, maxPageSize);
    const bytes = Math.min(query.bytes ?? maxPageBytes, maxPageBytes);
    const wanted = {
      order: 'newest-first',
      ...query,
      limit: limit + 1,
      bytes,
      ...(calls ? { calls } : {}),
    } as const;
    const entries = await this.#store.entries(wanted);
    const items = entries.slice(0, limit).map(toEvent);
    const last = items.at(-1);
    return isCut(entries, wanted) && last !== undefined ? { items, next: last.seq } : { items };
  }
}

/** Returns whether there may be more entries than were read. */
function isCut(entries: readonly StoredEntry[], { limit, bytes }: { limit: number; bytes: number }): boolean {
  return entries.length >= limit || bodyBytes(entries) >= bytes;
}
