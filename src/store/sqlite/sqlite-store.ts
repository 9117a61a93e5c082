import { setImmediate as yieldTurn } from 'node:timers/promises';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { newId } from '../../core/identifiers.ts';
import { PresenceLock } from '../../core/locks/presence-lock.ts';
import type { EntryDraft, StoredEntry } from '../../journal/entries/stored-entry.ts';
import type { Sealer } from '../../journal/integrity/seal.ts';
import type { CallSamples, SampleQuery } from '../../journal/store/call-samples.ts';
import type { DropRequest, DropResult } from '../../journal/store/drop-request.ts';
import type { Appended, ChainHead, EntryQuery, IndexFault, Store } from '../../journal/store/store.ts';
import { LocalPubSub } from '../local-pub-sub.ts';
import { searchEntries } from '../search-entries.ts';
import { applySideWrites } from '../tables/side-writes.ts';
import { TableStore } from '../tables/table-store.ts';
import { CachedTokenTable } from './cached-token-table.ts';
import { entryQuery, nextRange } from './journal/entry-query.ts';
import { JournalIndex } from './journal/journal-index.ts';
import { JournalTable } from './journal/journal-table.ts';
import { PrunedJournal } from './journal/pruned-journal.ts';
import { readSamples } from './journal/sample-table.ts';
import { SqliteDatabase } from './sqlite-database.ts';
import { SqliteSessionTable } from './sqlite-session-table.ts';

/** Opens a store in a SQLite file, or in memory when no file is given. */
export function sqliteStore(options: { file?: string; sealer?: Sealer | undefined } = {}): Store {
  const file = options.file ?? ':memory:';
  try {
    return new SqliteStore(file, options.sealer);
  } catch (error) {
    if (error instanceof SignalboxError) throw error;
    throw new SignalboxError('store-unavailable', `cannot open the journal ${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

class SqliteStore extends TableStore implements Store {
  readonly location: string;
  readonly pubSub = new LocalPubSub();
  readonly isShared: boolean;
  readonly writer: string;
  readonly sealer: Sealer | undefined;
  readonly #database: SqliteDatabase;
  readonly #lock: PresenceLock | undefined;
  readonly #journal: JournalTable;
  readonly #index: JournalIndex;
  readonly #pruned: PrunedJournal;
  readonly #tokens: CachedTokenTable;
  /** The last step of a search. */
  #searching: Promise<unknown> = Promise.resolve();

  constructor(file: string, sealer: Sealer | undefined) {
    const database = new SqliteDatabase(file);
    const writer = newId('writer');
    const lock = database.isOnDisk ? new PresenceLock(`${file}-writers`, writer) : undefined;
    const tokens = new CachedTokenTable(database);
    const living = (): ReadonlySet<string> => lock?.liveOwners() ?? new Set([writer]);
    super(database, new SqliteSessionTable(database, { own: writer, living }), tokens);
    this.location = database.location;
    this.isShared = database.isOnDisk;
    this.writer = writer;
    this.sealer = sealer;
    this.#database = database;
    this.#lock = lock;
    this.#tokens = tokens;
    this.#journal = new JournalTable({
      database,
      writer,
      tails: lock?.directory,
      apply: (draft) => this.#apply(draft),
    });
    this.#index = new JournalIndex(database, this.#journal, sealer);
    this.#pruned = new PrunedJournal(database, (work) => this.#journal.dropTransaction(work), sealer);
  }

  append(drafts: readonly EntryDraft[]): Appended {
    const written = this.#journal.append(drafts);
    this.#index.schedule();
    return written;
  }

  async sync(): Promise<void> {
    await this.#journal.drainPending();
    await this.#database.flush();
  }

  async entries(query: EntryQuery): Promise<readonly StoredEntry[]> {
    await (entryQuery(query).indexed ? this.#index.catchUpGradually() : this.#journal.drainPending());
    this.#journal.catchUp();
    const isIndexed = query.text === undefined && query.shadowed === undefined;
    if (isIndexed) return this.#select(query);
    const after = Math.max(query.after ?? 0, (await this.beginning()).seq);
    return await searchEntries({ ...query, after }, this.#journal.head.seq, {
      select: (part) => this.#select(part),
      // All searches together read one range per turn of the event loop.
      waitForTurn: () => (this.#searching = this.#searching.then(() => yieldTurn())),
      nextRange: (left, isForward) => nextRange(this.#database, left, isForward),
    });
  }

  ownSince(seq: number): number | undefined {
    return this.#journal.ownSince(seq);
  }

  async samples(query: SampleQuery): Promise<CallSamples> {
    await this.#catchUp();
    return readSamples(this.#database, query);
  }

  #select(query: EntryQuery): readonly StoredEntry[] {
    const { sql, values, indexed } = entryQuery(query);
    if (indexed) this.#index.catchUp();
    const statement = this.#database.prepare(sql);
    if (query.bytes === undefined) return statement.all(...values).map(plainEntry);
    const entries: StoredEntry[] = [];
    let bytes = 0;
    for (const row of statement.iterate(...values)) {
      const entry = plainEntry(row);
      entries.push(entry);
      bytes += Buffer.byteLength(entry.body);
      if (bytes >= query.bytes) break;
    }
    return entries;
  }

  async anchor(): Promise<ChainHead> {
    return this.#index.anchor();
  }

  async checkIndex(signal?: AbortSignal): Promise<IndexFault | undefined> {
    const fault = this.#index.anchorFault();
    if (fault !== undefined) return fault;
    await this.#catchUp();
    return await this.#index.check((await this.beginning()).seq, signal);
  }

  async openCalls(): Promise<readonly StoredEntry[]> {
    return (await this.#open()).filter(({ writer }) => writer === this.writer);
  }

  async drop(request: DropRequest): Promise<DropResult> {
    await this.#catchUp();
    return await this.#pruned.drop(request);
  }

  async orphans(): Promise<readonly StoredEntry[]> {
    const open = await this.#open();
    if (open.length === 0) return open;
    const living = await this.liveWriters();
    const left = open.filter((entry) => !living.has(entry.writer));
    if (left.length === 0) return left;
    // A process may have recorded an outcome after the first query and then ended. A dead process records nothing more, so query again.
    const still = new Set((await this.#open()).map(({ seq }) => seq));
    return left.filter(({ seq }) => still.has(seq));
  }

  async liveWriters(): Promise<ReadonlySet<string>> {
    return this.#lock?.liveOwners() ?? new Set([this.writer]);
  }

  async close(): Promise<void> {
    this.#index.stop();
    this.#journal.catchUp();
    if (this.#index.anchorFault() === undefined) this.#index.catchUp();
    this.#journal.close();
    await this.#database.close();
    this.#lock?.release();
  }

  /** Moves all acknowledged entries into the table and indexes them. */
  async #catchUp(): Promise<void> {
    await this.#index.catchUpGradually();
    this.#journal.catchUp();
    this.#index.catchUp();
  }

  #open(): Promise<readonly StoredEntry[]> {
    return this.entries({ order: 'oldest-first', limit: 1_000_000, type: 'CallStarted', calls: true });
  }

  #apply(draft: EntryDraft): boolean {
    if (draft.token !== undefined) this.#tokens.clear();
    return this.#database.runSync(applySideWrites(draft, this.#database.dialect));
  }
}

/** Copies a row: rows have no prototype, so they would not be deeply equal to the appended entry. */
function plainEntry(row: Record<string, unknown>): StoredEntry {
  const { seq, at, type, call, session, tool, outcome, writer, body, hash } = row as unknown as StoredEntry;
  return { seq, at, type, call, session, tool, outcome, writer, body, hash };
}
