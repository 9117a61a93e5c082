import type { ApprovalQuery, ApprovalRecord, PrincipalCount, StoredRule } from '../../journal/store/approval-store.ts';
import type { CallSamples, SampleQuery } from '../../journal/store/call-samples.ts';
import { AuthorityKeyValueStore } from '../../journal/integrity/authority-records.ts';
import type { EntryDraft, StoredEntry } from '../../journal/entries/stored-entry.ts';
import type { KeyValueStore } from '../../journal/store/key-value-store.ts';
import type { RecoveryOptions } from '../../journal/store/recovery-options.ts';
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
import { newId } from '../../core/identifiers.ts';
import { type PostgresAddress, parseAddress } from './address.ts';
import { ApprovalTable } from './tables/approval-table.ts';
import { Database, loadDriver } from './database.ts';
import { checkIndex } from './journal/index-check.ts';
import { JobTable } from './tables/job-table.ts';
import { JournalTable } from './journal/journal-table.ts';
import { KeyValueTable } from './tables/key-value-table.ts';
import { PostgresPubSub } from './postgres-pub-sub.ts';
import { ListenConnection, toChannel } from './listen-connection.ts';
import { PrunedJournal } from './journal/pruned-journal.ts';
import { ResultTable } from './tables/result-table.ts';
import { SealTable } from './journal/seal-table.ts';
import { SessionTable } from './tables/session-table.ts';
import { TokenTable } from './tables/token-table.ts';

const outcomesOf = {
  claims:
    'SELECT key, call, fingerprint, outcome FROM claims WHERE key > $1 AND outcome IS NOT NULL ORDER BY key LIMIT $2',
  recordings: `SELECT call AS key, call, '' AS fingerprint, outcome FROM recordings WHERE call > $1 ORDER BY call LIMIT $2`,
} as const;

/** Opens a store in a PostgreSQL database, which any number of processes and machines can share. Requires the package `pg`. */
export async function postgresStore(options: {
  readonly address: string;
  readonly sealer?: Sealer | undefined;
}): Promise<PostgresStore> {
  const address = parseAddress(options.address);
  const store = new ConnectedStore(new Database(await loadDriver(), address), address, options.sealer);
  try {
    await store.open();
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** A store in PostgreSQL. */
export interface PostgresStore extends Store {
  /** The name and version of the server. */
  readonly server: string;
}

class ConnectedStore implements PostgresStore {
  server = '';
  readonly writer = newId('writer');
  readonly location: string;
  readonly sessions: SessionTable;
  readonly jobs: JobTable;
  readonly tokens: TokenTable;
  readonly isShared = true;
  readonly keyValues: KeyValueStore;
  readonly pubSub: PostgresPubSub;
  readonly #database: Database;
  readonly #presence: ListenConnection;
  readonly #journal: JournalTable;
  readonly #approvals: ApprovalTable;
  readonly sealer: Sealer | undefined;
  readonly #seals: SealTable;
  readonly #pruned: PrunedJournal;
  readonly #results: ResultTable;
  #closed: Promise<void> | undefined;

  constructor(database: Database, address: PostgresAddress, sealer: Sealer | undefined) {
    const { writer } = this;
    this.sealer = sealer;
    this.location = address.location;
    this.#database = database;
    const channel = toChannel(address);
    this.pubSub = new PostgresPubSub(database, channel);
    this.#presence = new ListenConnection(database, address, writer, { channel, pubSub: this.pubSub });
    this.#journal = new JournalTable(database, writer);
    this.#approvals = new ApprovalTable(database);
    this.#seals = new SealTable(database, sealer);
    this.#pruned = new PrunedJournal(database, this.#seals);
    this.#results = new ResultTable(database);
    this.sessions = new SessionTable(database, { own: writer, living: (looking) => this.#presence.living(looking) });
    this.tokens = new TokenTable(database);
    this.jobs = new JobTable(database);
    this.keyValues = new AuthorityKeyValueStore(new KeyValueTable(database), (drafts) => this.append(drafts));
  }

  /** Creates missing tables and registers this process. */
  async open(): Promise<void> {
    this.server = await this.#presence.open();
  }

  append(drafts: readonly EntryDraft[]): Promise<Appended> {
    this.#seals.schedule();
    return this.#journal.append(drafts);
  }

  /** Does nothing: appended entries are already on the disk. */
  async sync(): Promise<void> {}

  entries(query: EntryQuery): Promise<readonly StoredEntry[]> {
    return this.#journal.entries(query);
  }

  samples(query: SampleQuery): Promise<CallSamples> {
    return this.#journal.samples(query);
  }

  ownSince(): undefined {
    // A query for it would take as long as reading the entries.
    return undefined;
  }

  anchor(): Promise<ChainHead> {
    return this.#journal.head();
  }

  seals(): Promise<readonly Seal[]> {
    return this.#seals.all();
  }

  checkIndex(signal?: AbortSignal): Promise<IndexFault | undefined> {
    return checkIndex(this.#database, signal);
  }

  openCalls(): Promise<readonly StoredEntry[]> {
    return this.#journal.openCalls();
  }

  beginning(): Promise<Beginning> {
    return this.#pruned.beginning();
  }

  drop(request: DropRequest): Promise<Dropped> {
    return this.#pruned.drop(request);
  }

  orphans(looking?: RecoveryOptions): Promise<readonly StoredEntry[]> {
    return this.#journal.takeOpen(() => this.#presence.living(looking));
  }

  livingWriters(looking?: RecoveryOptions): Promise<ReadonlySet<string>> {
    return this.#presence.living(looking);
  }

  async claim(key: string): Promise<Claim | undefined> {
    const sql = 'SELECT call, fingerprint, outcome FROM claims WHERE key = $1';
    const [row] = await this.#database.rows<Omit<Claim, 'outcome'> & { outcome: string | null }>(sql, [key]);
    if (row === undefined) return undefined;
    const { call, fingerprint, outcome } = row;
    return outcome === null ? { call, fingerprint } : { call, fingerprint, outcome };
  }

  async recording(call: string): Promise<string | undefined> {
    const sql = 'SELECT outcome FROM recordings WHERE call = $1';
    const [row] = await this.#database.rows<{ outcome: string }>(sql, [call]);
    return row?.outcome;
  }

  storedOutcomes({ from, after, limit }: OutcomeQuery): Promise<readonly StoredOutcome[]> {
    return this.#database.rows(outcomesOf[from], [after, limit]);
  }

  storeResult(result: StoredResult): Promise<void> {
    return this.#results.store(result);
  }

  readResult(id: string, offset: number, limit: number): Promise<ResultPage | undefined> {
    return this.#results.read(id, offset, limit);
  }

  approval(id: string): Promise<ApprovalRecord | undefined> {
    return this.#approvals.find(id);
  }

  approvals(query: ApprovalQuery): Promise<readonly ApprovalRecord[]> {
    return this.#approvals.select(query);
  }

  countApprovals(query: Omit<ApprovalQuery, 'limit' | 'after'>): Promise<readonly PrincipalCount[]> {
    return this.#approvals.count(query);
  }

  rules(query?: { principal?: string; server?: string }): Promise<readonly StoredRule[]> {
    return this.#approvals.rules(query);
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#seals.close();
    await this.pubSub.drain();
    await this.#presence.close();
    await this.#database.close();
  }
}
