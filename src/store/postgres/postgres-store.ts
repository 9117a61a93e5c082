import { newId } from '../../core/identifiers.ts';
import type { EntryDraft, StoredEntry } from '../../journal/entries/stored-entry.ts';
import type { Sealer } from '../../journal/integrity/seal.ts';
import type { CallSamples, SampleQuery } from '../../journal/store/call-samples.ts';
import type { DropRequest, DropResult } from '../../journal/store/drop-request.ts';
import type { RecoveryOptions } from '../../journal/store/session-store.ts';
import type { Appended, ChainHead, EntryQuery, IndexFault, Store } from '../../journal/store/store.ts';
import { TableStore } from '../tables/table-store.ts';
import { TokenTable } from '../tables/token-table.ts';
import { type PostgresAddress, parseAddress } from './address.ts';
import { JournalTable } from './journal/journal-table.ts';
import { PeriodicSeal } from './journal/periodic-seal.ts';
import { PrunedJournal } from './journal/pruned-journal.ts';
import { ListenConnection, toChannel } from './listen-connection.ts';
import { PostgresDatabase, loadDriver } from './postgres-database.ts';
import { PostgresPubSub } from './postgres-pub-sub.ts';
import { PostgresSessionTable } from './postgres-session-table.ts';

/** Opens a store in a PostgreSQL database, which any number of processes and machines can share. Requires the package `pg`. */
export async function postgresStore(options: {
  readonly address: string;
  readonly sealer?: Sealer | undefined;
}): Promise<PostgresStore> {
  const address = parseAddress(options.address);
  const store = new ConnectedStore(new PostgresDatabase(await loadDriver(), address), address, options.sealer);
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

class ConnectedStore extends TableStore implements PostgresStore {
  server = '';
  readonly isShared = true;
  readonly writer: string;
  readonly location: string;
  readonly pubSub: PostgresPubSub;
  readonly sealer: Sealer | undefined;
  readonly #database: PostgresDatabase;
  readonly #presence: ListenConnection;
  readonly #journal: JournalTable;
  readonly #seal: PeriodicSeal;
  readonly #pruned: PrunedJournal;
  #closed: Promise<void> | undefined;

  constructor(database: PostgresDatabase, address: PostgresAddress, sealer: Sealer | undefined) {
    const writer = newId('writer');
    const channel = toChannel(address);
    const pubSub = new PostgresPubSub(database, channel);
    const presence = new ListenConnection(database, address, writer, { channel, pubSub });
    const writers = { own: writer, living: (options?: RecoveryOptions) => presence.living(options) };
    super(database, new PostgresSessionTable(database, writers), new TokenTable(database));
    this.writer = writer;
    this.location = address.location;
    this.pubSub = pubSub;
    this.sealer = sealer;
    this.#database = database;
    this.#presence = presence;
    this.#journal = new JournalTable(database, writer);
    this.#seal = new PeriodicSeal(database, sealer);
    this.#pruned = new PrunedJournal(database, sealer);
  }

  /** Creates missing tables and registers this process. */
  async open(): Promise<void> {
    this.server = await this.#presence.open();
  }

  append(drafts: readonly EntryDraft[]): Promise<Appended> {
    this.#seal.schedule();
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

  checkIndex(signal?: AbortSignal): Promise<IndexFault | undefined> {
    return this.#journal.checkIndex(signal);
  }

  openCalls(): Promise<readonly StoredEntry[]> {
    return this.#journal.openCalls();
  }

  drop(request: DropRequest): Promise<DropResult> {
    return this.#pruned.drop(request);
  }

  orphans(options?: RecoveryOptions): Promise<readonly StoredEntry[]> {
    return this.#journal.takeOpen(() => this.#presence.living(options));
  }

  liveWriters(options?: RecoveryOptions): Promise<ReadonlySet<string>> {
    return this.#presence.living(options);
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#seal.close();
    await this.pubSub.drain();
    await this.#presence.close();
    await this.#database.close();
  }
}
