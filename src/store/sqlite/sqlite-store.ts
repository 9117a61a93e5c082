import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { ApprovalQuery, ApprovalRecord, PrincipalCount, StoredRule } from '../../journal/store/approval-store.ts';
import type { CallSamples, SampleQuery } from '../../journal/store/call-samples.ts';
import { AuthorityKeyValueStore } from '../../journal/integrity/authority-records.ts';
import type { EntryDraft, StoredEntry } from '../../journal/entries/stored-entry.ts';
import type { KeyValueStore } from '../../journal/store/key-value-store.ts';
import type { Seal, Sealer } from '../../journal/integrity/seal.ts';
import type {
  Appended,
  ChainHead,
  Claim,
  EntryQuery,
  IndexFault,
  StoredResult,
  OutcomeQuery,
  ResultPage,
  Store,
  StoredOutcome,
} from '../../journal/store/store.ts';
import type { Beginning, DropRequest, Dropped } from '../../journal/store/drop-request.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { newId } from '../../core/identifiers.ts';
import { Checkpointer, maxLogPages } from './checkpointer.ts';
import { ApprovalTable } from './tables/approval-table.ts';
import { DurableLog } from './durable-log.ts';
import { entryQuery } from './journal/entry-query.ts';
import { checkIndex } from './journal/index-check.ts';
import { JobTable } from './tables/job-table.ts';
import { JournalIndex } from './journal/journal-index.ts';
import { JournalTable } from './journal/journal-table.ts';
import { KeyValueTable } from './tables/key-value-table.ts';
import { PrunedJournal } from './journal/pruned-journal.ts';
import { ResultTable } from './tables/result-table.ts';
import { readSamples } from './journal/sample-table.ts';
import { schema, schemaVersion } from './schema.ts';
import { LocalPubSub } from '../local-pub-sub.ts';
import { searchEntries } from '../search-entries.ts';
import { BoundedRanges } from './journal/bounded-ranges.ts';
import { SealTable } from './journal/seal-table.ts';
import { SessionTable } from './tables/session-table.ts';
import { WriterLock } from './writer-lock.ts';
import { storeFailure } from './store-failure.ts';
import { Statements } from './statements.ts';
import { TokenTable } from './tables/token-table.ts';

const outcomesOf = {
  claims:
    'SELECT key, call, fingerprint, outcome FROM claims WHERE key > ? AND outcome IS NOT NULL ORDER BY key LIMIT ?',
  recordings: `SELECT call AS key, call, '' AS fingerprint, outcome FROM recordings WHERE call > ? ORDER BY call LIMIT ?`,
} as const;

/** The maximum time to wait for other writers. */
const busyTimeoutMs = 5000;

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

class SqliteStore implements Store {
  readonly location: string;
  readonly sessions: SessionTable;
  readonly jobs: JobTable;
  readonly keyValues: KeyValueStore;
  readonly #kept: KeyValueTable;
  readonly pubSub = new LocalPubSub();
  readonly isShared: boolean;
  readonly writer = newId('writer');
  readonly sealer: Sealer | undefined;
  readonly #seals: SealTable;
  readonly #database: DatabaseSync;
  readonly #checkpointer: Checkpointer | undefined;
  readonly #log: DurableLog | undefined;
  readonly #lock: WriterLock | undefined;
  readonly #journal: JournalTable;
  readonly #index: JournalIndex;
  readonly #pruned: PrunedJournal;
  readonly #results: ResultTable;
  readonly #approvals: ApprovalTable;
  readonly tokens: TokenTable;
  readonly #statements: Statements;
  readonly #stretches: BoundedRanges;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #readRecording: StatementSync;
  readonly #writeRecording: StatementSync;
  readonly #readClaim: StatementSync;
  readonly #writeClaim: StatementSync;
  readonly #settleClaim: StatementSync;

  constructor(file: string, sealer: Sealer | undefined) {
    this.sealer = sealer;
    this.location = file === ':memory:' ? 'memory' : file;
    const onDisk = file !== ':memory:';
    this.isShared = onDisk;
    if (onDisk) makePrivate(file);
    this.#database = new DatabaseSync(file, { timeout: busyTimeoutMs });
    // FULL until the schema is in place, which also puts the log's directory entry on the disk; then see DurableLog.
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    this.#begin = this.#database.prepare('BEGIN IMMEDIATE');
    this.#commit = this.#database.prepare('COMMIT');
    this.#createTables();
    this.#database.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${maxLogPages}`);
    if (onDisk) {
      this.#checkpointer = new Checkpointer(file);
      this.#log = new DurableLog(`${file}-wal`, () => this.#beginLogAnew());
      this.#lock = new WriterLock(`${file}-writers`, this.writer);
    }
    this.#readClaim = this.#database.prepare('SELECT call, fingerprint, outcome FROM claims WHERE key = ?');
    this.#writeClaim = this.#database.prepare('INSERT INTO claims (key, call, fingerprint) VALUES (?, ?, ?)');
    this.#settleClaim = this.#database.prepare('UPDATE claims SET outcome = ? WHERE key = ?');
    this.#readRecording = this.#database.prepare('SELECT outcome FROM recordings WHERE call = ?');
    this.#writeRecording = this.#database.prepare('INSERT OR IGNORE INTO recordings VALUES (?, ?)');
    this.#journal = new JournalTable({
      database: this.#database,
      writer: this.writer,
      tails: this.#lock?.directory,
      transaction: (work) => this.#transaction(work),
      apply: (draft) => this.#apply(draft),
      onCommit: (entries) => this.#checkpointer?.committed(entries),
    });
    this.#statements = new Statements(this.#database, this.location);
    this.#seals = new SealTable(this.#statements, sealer);
    this.#index = new JournalIndex(this.#database, this.#journal, this.#seals);
    this.#results = new ResultTable(this.#database, (work) => this.#transaction(work));
    this.#pruned = new PrunedJournal(this.#statements, (work) => this.#journal.dropTransaction(work), this.#seals);
    this.#stretches = new BoundedRanges(this.#statements);
    this.#approvals = new ApprovalTable(this.#statements);
    this.sessions = new SessionTable(
      this.#statements,
      (work) => {
        this.#transaction(work);
        this.#checkpointer?.committed(1);
      },
      { own: this.writer, living: () => this.#living() },
    );
    this.tokens = new TokenTable(this.#statements);
    this.jobs = new JobTable(this.#statements);
    this.#kept = new KeyValueTable(this.#statements);
    this.keyValues = new AuthorityKeyValueStore(this.#kept, (drafts) => this.append(drafts));
  }

  append(drafts: readonly EntryDraft[]): Appended {
    const written = this.#journal.append(drafts);
    this.#index.schedule();
    return written;
  }

  async sync(): Promise<void> {
    await this.#journal.drainPending();
    try {
      await this.#log?.flush();
    } catch (error) {
      throw storeFailure(error, this.location);
    }
  }

  async entries(query: EntryQuery): Promise<readonly StoredEntry[]> {
    await (entryQuery(query).indexed ? this.#index.catchUpGradually() : this.#journal.drainPending());
    this.#journal.catchUp();
    const isIndexed = query.text === undefined && query.shadowed === undefined;
    if (isIndexed) return this.#select(query);
    const { waitForTurn, nextRange } = this.#stretches;
    const after = Math.max(query.after ?? 0, this.#pruned.beginning().seq);
    return await searchEntries({ ...query, after }, this.#journal.head.seq, {
      select: (part) => this.#select(part),
      waitForTurn,
      nextRange,
    });
  }

  ownSince(seq: number): number | undefined {
    return this.#journal.ownSince(seq);
  }

  async samples(query: SampleQuery): Promise<CallSamples> {
    await this.#index.catchUpGradually();
    this.#journal.catchUp();
    this.#index.catchUp();
    return readSamples(this.#statements, query);
  }

  #select(query: EntryQuery): readonly StoredEntry[] {
    const { sql, values, indexed } = entryQuery(query);
    if (indexed) this.#index.catchUp();
    const statement = this.#statements.get(sql);
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

  async seals(): Promise<readonly Seal[]> {
    return this.#seals.all();
  }

  async checkIndex(signal?: AbortSignal): Promise<IndexFault | undefined> {
    const fault = this.#index.anchorFault();
    if (fault !== undefined) return fault;
    await this.#index.catchUpGradually();
    this.#journal.catchUp();
    this.#index.catchUp();
    return await checkIndex(this.#statements, this.#pruned.beginning().seq, this.#index.anchor().seq, signal);
  }

  async openCalls(): Promise<readonly StoredEntry[]> {
    return (await this.#open()).filter(({ writer }) => writer === this.writer);
  }

  async beginning(): Promise<Beginning> {
    return this.#pruned.beginning();
  }

  async drop(request: DropRequest): Promise<Dropped> {
    await this.#index.catchUpGradually();
    this.#journal.catchUp();
    this.#index.catchUp();
    return await this.#pruned.drop(request, (entries) => this.#checkpointer?.committed(entries));
  }

  async orphans(): Promise<readonly StoredEntry[]> {
    const open = await this.#open();
    if (open.length === 0) return open;
    const living = this.#living();
    const left = open.filter((entry) => !living.has(entry.writer));
    if (left.length === 0) return left;
    // A process may have recorded an outcome after the first query and then ended. A dead process records nothing more, so query again.
    const still = new Set((await this.#open()).map(({ seq }) => seq));
    return left.filter(({ seq }) => still.has(seq));
  }

  async livingWriters(): Promise<ReadonlySet<string>> {
    return this.#living();
  }

  async claim(key: string): Promise<Claim | undefined> {
    const row = this.#readClaim.get(key) as unknown as
      | (Omit<Claim, 'outcome'> & { outcome: string | null })
      | undefined;
    if (row === undefined) return undefined;
    const { call, fingerprint, outcome } = row;
    return outcome === null ? { call, fingerprint } : { call, fingerprint, outcome };
  }

  async recording(call: string): Promise<string | undefined> {
    const row = this.#readRecording.get(call) as unknown as { outcome: string } | undefined;
    return row?.outcome;
  }

  async storedOutcomes({ from, after, limit }: OutcomeQuery): Promise<readonly StoredOutcome[]> {
    const rows = this.#statements.get(outcomesOf[from]).all(after, limit);
    return rows.map((row) => ({ ...(row as unknown as StoredOutcome) }));
  }

  async storeResult(result: StoredResult): Promise<void> {
    this.#results.store(result);
  }

  async readResult(id: string, offset: number, limit: number): Promise<ResultPage | undefined> {
    return this.#results.read(id, offset, limit);
  }

  async approval(id: string): Promise<ApprovalRecord | undefined> {
    return this.#approvals.find(id);
  }

  async approvals(query: ApprovalQuery): Promise<readonly ApprovalRecord[]> {
    return this.#approvals.select(query);
  }

  async countApprovals(query: Omit<ApprovalQuery, 'limit' | 'after'>): Promise<readonly PrincipalCount[]> {
    return this.#approvals.count(query);
  }

  async rules(query?: { principal?: string; server?: string }): Promise<readonly StoredRule[]> {
    return this.#approvals.rules(query);
  }

  async close(): Promise<void> {
    this.#index.stop();
    this.#journal.catchUp();
    if (this.#index.anchorFault() === undefined) this.#index.catchUp();
    this.#journal.close();
    await Promise.all([this.#log?.close(), this.#checkpointer?.close()]);
    this.#database.close();
    this.#lock?.release();
  }

  #open(): Promise<readonly StoredEntry[]> {
    return this.entries({ order: 'oldest-first', limit: 1_000_000, type: 'CallStarted', calls: true });
  }

  /** Applies the side writes of an entry. Returns false when its key is taken or a change is refused. */
  #apply({ claim, settle, approval, recording, token, keyValue, call }: EntryDraft): boolean {
    if (claim !== undefined && this.#readClaim.get(claim.key) !== undefined) return false;
    if (approval !== undefined && !this.#approvals.apply(approval, call)) return false;
    if (token !== undefined && !this.tokens.apply(token)) return false;
    if (keyValue !== undefined && !this.#kept.apply(keyValue)) return false;
    if (claim !== undefined) this.#writeClaim.run(claim.key, call, claim.fingerprint);
    if (recording !== undefined) this.#writeRecording.run(call, recording);
    if (settle !== undefined) this.#settleClaim.run(settle.outcome, settle.key);
    return true;
  }

  #living(): ReadonlySet<string> {
    return this.#lock?.living() ?? new Set([this.writer]);
  }

  /** Moves the whole log into the database now. Does not wait for other processes, because that would block the event loop. */
  #beginLogAnew(): void {
    this.#database.exec('PRAGMA busy_timeout = 0');
    try {
      const { busy } = this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
      if (busy === 0) return;
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    }
    const why = 'its disk failed, and another process is at work in it; try again in a moment';
    throw new SignalboxError('store-unavailable', `the journal ${this.location} cannot be made lasting: ${why}`);
  }

  #transaction(work: () => void): void {
    try {
      this.#begin.run();
      work();
      this.#commit.run();
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw storeFailure(error, this.location);
    }
  }

  #createTables(): void {
    this.#transaction(() => {
      const { user_version: version } = this.#database.prepare('PRAGMA user_version').get() as { user_version: number };
      if (version > schemaVersion) {
        throw new SignalboxError(
          'store-newer',
          `${this.location} was written by a newer Signalbox (schema ${version}, this one knows ${schemaVersion}): update Signalbox`,
        );
      }
      if (version < schemaVersion) this.#database.exec(`${schema} PRAGMA user_version = ${schemaVersion}`);
    });
  }
}

/** Creates the file with access for its owner only. SQLite gives its side files the same mode. */
function makePrivate(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    // Only creates a new file: closing an existing one would drop the locks of its other users in this process.
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // The file exists, or SQLite reports a better error.
  }
}

/** Copies a row: rows have no prototype, so they would not be deeply equal to the appended entry. */
function plainEntry(row: Record<string, unknown>): StoredEntry {
  const { seq, at, type, call, session, tool, outcome, writer, body, hash } = row as unknown as StoredEntry;
  return { seq, at, type, call, session, tool, outcome, writer, body, hash };
}
