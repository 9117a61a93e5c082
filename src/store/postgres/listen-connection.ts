import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import type { RecoveryOptions } from '../../journal/store/recovery-options.ts';
import type { PostgresAddress } from './address.ts';
import { refuseUnfinishedCopy } from './copy-progress.ts';
import type { Database } from './database.ts';
import { createTables } from './create-tables.ts';
import type { PostgresPubSub } from './postgres-pub-sub.ts';
import { storeFailure } from './store-failure.ts';

// Number and lock come into sight together, so that nobody ever finds a living writer without its lock.
const register = `WITH own AS (
    INSERT INTO writers (name, server_started) VALUES ($2, pg_postmaster_start_time())
    ON CONFLICT (name) DO UPDATE SET server_started = excluded.server_started RETURNING number)
  SELECT number, pg_advisory_lock_shared($1, number) FROM own`;

// All connections end with the server: after a restart writers have a while to come back.
const writerStatus = `SELECT name, number IN (
    SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = $1::bigint::oid AND objsubid = 2 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
  OR (server_started <> pg_postmaster_start_time() AND now() < pg_postmaster_start_time() + interval '30 seconds') AS "isLiving" FROM writers`;

/** The names of the writers that are alive; `$1` is the number of the schema's locks. */
export const livingWriters = `SELECT name FROM (${writerStatus}) AS standing WHERE "isLiving"`;

const maxPauseMs = 2000;
/** A connection that broke is usually made anew within milliseconds. */
const reconnectGraceMs = 2500;
/** A way that broke without a word is found out by asking, long before the server takes this process for gone (25 s). */
const pingIntervalMs = 3000;
const pingTimeoutMs = 5000;

/** The channel on which the processes of a schema tell each other something. */
export function toChannel(address: PostgresAddress): string {
  return `signalbox_${toLockNumber(address)}`;
}

/** What the connection hears besides. */
interface ListenOptions {
  readonly channel: string;
  readonly pubSub: Pick<PostgresPubSub, 'receive' | 'notifyGap'>;
}

/** The number that all locks of a schema begin with; never negative: the server shows it as an unsigned one. */
export function toLockNumber({ schema }: PostgresAddress): number {
  return Number.parseInt(hash('sha256', `signalbox ${schema}`, 'hex').slice(0, 8), 16) & 0x7f_ff_ff_ff;
}

/**
 * Shows other processes that this writer is alive: a connection that holds a lock. The server lets go of the lock when the
 * process dies, however it dies and wherever it ran. The same connection hears what other processes tell.
 */
export class ListenConnection {
  readonly #database: Database;
  readonly #address: PostgresAddress;
  readonly #writer: string;
  readonly #lock: number;
  readonly #hearing: ListenOptions;
  readonly #closing = new AbortController();
  #client: Client | undefined;
  /** Since when writers have been missed that did not say goodbye. */
  #missing: ReadonlyMap<string, number> = new Map();
  #comingBack: Promise<void> | undefined;
  #asking: NodeJS.Timeout | undefined;

  constructor(database: Database, address: PostgresAddress, writer: string, hearing: ListenOptions) {
    this.#database = database;
    this.#address = address;
    this.#writer = writer;
    this.#lock = toLockNumber(address);
    this.#hearing = hearing;
  }

  /** Connects, and brings the tables up to date. Tells which server it is. */
  async open(): Promise<string> {
    const about = await this.#connect(async (client) => {
      const server = await createTables(client, this.#address, this.#lock);
      await refuseUnfinishedCopy(client, this.#address, this.#lock);
      return server;
    });
    // From here on a copy finds this writer. With a lost connection the lock is gone as well.
    await this.#client?.query('SELECT pg_advisory_unlock_shared($1, -1)', [this.#lock]).catch(() => undefined);
    this.#asking = setInterval(() => void this.#ask(), pingIntervalMs).unref();
    return about;
  }

  /** The writers that are alive, this one included; for the patient also those that were not long ago. */
  async living({ patient = false }: RecoveryOptions = {}): Promise<ReadonlySet<string>> {
    const rows = await this.#database.rows<{ name: string; isLiving: boolean }>(writerStatus, [this.#lock]);
    const now = performance.now();
    const missing = rows.filter(({ isLiving }) => !isLiving).map(({ name }) => name);
    this.#missing = new Map(missing.map((name) => [name, this.#missing.get(name) ?? now]));
    const recent = patient ? missing.filter((name) => now - (this.#missing.get(name) ?? now) < reconnectGraceMs) : [];
    return new Set([this.#writer, ...rows.filter(({ isLiving }) => isLiving).map(({ name }) => name), ...recent]);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#asking);
    // It may just be connecting: then that connection is ended here too.
    await this.#comingBack;
    const client = this.#client;
    if (client === undefined) return;
    // Whoever comes next need not find out that we are gone. When the server is, that does not matter.
    await client.query('DELETE FROM writers WHERE name = $1', [this.#writer]).catch(() => undefined);
    await client.end().catch(() => undefined);
  }

  async #connect<Result>(prepare: (client: Client) => Promise<Result>): Promise<Result> {
    const client = this.#database.client();
    client.once('error', () => this.#lose(client));
    client.on('notification', ({ payload = '' }) => this.#hearing.pubSub.receive(payload));
    try {
      await client.connect();
      const prepared = await prepare(client);
      await Promise.all([
        client.query(register, [this.#lock, this.#writer]),
        client.query(`LISTEN ${this.#hearing.channel}`),
      ]);
      this.#client = client;
      return prepared;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw storeFailure(error, this.#address.location);
    }
  }

  /** Whether the connection still is one. */
  async #ask(): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    const answered = client.query('SELECT').then(
      () => true,
      () => false,
    );
    if (!(await Promise.race([answered, wait(pingTimeoutMs, false, { ref: false })]))) this.#lose(client);
  }

  #lose(lost: Client): void {
    // Later errors of a connection that is lost say nothing new.
    lost.on('error', () => undefined);
    if (this.#client !== lost) return;
    this.#client = undefined;
    lost.removeAllListeners('notification');
    // One that is only slow shows that this process lives until the next one does.
    this.#comingBack = this.#comeBack().finally(() => lost.connection.stream.destroy());
  }

  async #comeBack(): Promise<void> {
    for (let pause = 50; !this.#closing.signal.aborted; pause = Math.min(pause * 2, maxPauseMs)) {
      try {
        await this.#connect(async () => undefined);
        this.#hearing.pubSub.notifyGap();
        return;
      } catch {
        await wait(pause, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
      }
    }
  }
}
