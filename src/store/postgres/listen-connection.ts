import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import type { RecoveryOptions } from '../../journal/store/session-store.ts';
import type { PostgresAddress } from './address.ts';
import { refuseUnfinishedCopy } from './copy-progress.ts';
import type { PostgresDatabase } from './postgres-database.ts';
import { createTables } from './create-tables.ts';
import type { PostgresPubSub } from './postgres-pub-sub.ts';
import { storeFailure } from './store-failure.ts';

// The writer's number and lock become visible together, so that no process sees a live writer without its lock.
const register = `WITH own AS (
    INSERT INTO writers (name, server_started) VALUES ($2, pg_postmaster_start_time())
    ON CONFLICT (name) DO UPDATE SET server_started = excluded.server_started RETURNING number)
  SELECT number, pg_advisory_lock_shared($1, number) FROM own`;

// A server restart ends all connections, so writers have some time to reconnect.
const writerStatus = `SELECT name, number IN (
    SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = $1::bigint::oid AND objsubid = 2 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
  OR (server_started <> pg_postmaster_start_time() AND now() < pg_postmaster_start_time() + interval '30 seconds') AS "isLiving" FROM writers`;

/** Selects the names of live writers; `$1` is the lock number of the schema. */
export const liveWriters = `SELECT name FROM (${writerStatus}) AS status WHERE "isLiving"`;

const maxPauseMs = 2000;
/**
 * The time for which a writer without a lock still counts as alive: a broken connection is usually restored within milliseconds.
 */
const reconnectGraceMs = 2500;
/** Pings detect a silently broken connection long before the server gives up on this process (25 s). */
const pingIntervalMs = 3000;
const pingTimeoutMs = 5000;

/** Returns the notification channel of a schema. */
export function toChannel(address: PostgresAddress): string {
  return `signalbox_${toLockNumber(address)}`;
}

/** The notification channel, and the receiver of its messages. */
interface ListenOptions {
  readonly channel: string;
  readonly pubSub: Pick<PostgresPubSub, 'receive' | 'notifyGap'>;
}

/** Returns the first key of all advisory locks of a schema. Never negative, because the server shows it as unsigned. */
export function toLockNumber({ schema }: PostgresAddress): number {
  return Number.parseInt(hash('sha256', `signalbox ${schema}`, 'hex').slice(0, 8), 16) & 0x7f_ff_ff_ff;
}

/**
 * The connection that holds this writer's presence lock and receives notifications. The lock shows other processes that the
 * writer is alive; the server releases it when the process or its machine dies.
 */
export class ListenConnection {
  readonly #database: PostgresDatabase;
  readonly #address: PostgresAddress;
  readonly #writer: string;
  readonly #lock: number;
  readonly #options: ListenOptions;
  readonly #closing = new AbortController();
  #client: Client | undefined;
  /** The time since which each writer has been without its lock. */
  #missing: ReadonlyMap<string, number> = new Map();
  #reconnecting: Promise<void> | undefined;
  #pinging: NodeJS.Timeout | undefined;

  constructor(database: PostgresDatabase, address: PostgresAddress, writer: string, options: ListenOptions) {
    this.#database = database;
    this.#address = address;
    this.#writer = writer;
    this.#lock = toLockNumber(address);
    this.#options = options;
  }

  /** Connects and creates missing tables. Returns the server's name and version. */
  async open(): Promise<string> {
    const server = await this.#connect(async (client) => {
      const name = await createTables(client, this.#address, this.#lock);
      await refuseUnfinishedCopy(client, this.#address, this.#lock);
      return name;
    });
    // From here on a copy finds this writer. A lost connection releases the lock anyway.
    await this.#client?.query('SELECT pg_advisory_unlock_shared($1, -1)', [this.#lock]).catch(() => undefined);
    this.#pinging = setInterval(() => void this.#ping(), pingIntervalMs).unref();
    return server;
  }

  /** Returns the live writers, including this one. With `patient` also writers whose lock was lost only recently. */
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
    clearInterval(this.#pinging);
    // A reconnect may be in progress; its connection must be ended too.
    await this.#reconnecting;
    const client = this.#client;
    if (client === undefined) return;
    // Unregisters, so that other processes need not detect the exit. Failure does not matter when the server is down.
    await client.query('DELETE FROM writers WHERE name = $1', [this.#writer]).catch(() => undefined);
    await client.end().catch(() => undefined);
  }

  async #connect<Result>(prepare: (client: Client) => Promise<Result>): Promise<Result> {
    const client = this.#database.client();
    client.once('error', () => this.#replace(client));
    client.on('notification', ({ payload = '' }) => this.#options.pubSub.receive(payload));
    try {
      await client.connect();
      const prepared = await prepare(client);
      await Promise.all([
        client.query(register, [this.#lock, this.#writer]),
        client.query(`LISTEN ${this.#options.channel}`),
      ]);
      this.#client = client;
      return prepared;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw storeFailure(error, this.#address.location);
    }
  }

  /** Checks that the connection still responds. */
  async #ping(): Promise<void> {
    const client = this.#client;
    if (client === undefined) return;
    const responded = client.query('SELECT').then(
      () => true,
      () => false,
    );
    if (!(await Promise.race([responded, wait(pingTimeoutMs, false, { ref: false })]))) this.#replace(client);
  }

  /** Connects again after a connection was lost. */
  #replace(lost: Client): void {
    // Ignores later errors of a lost connection.
    lost.on('error', () => undefined);
    if (this.#client !== lost) return;
    this.#client = undefined;
    lost.removeAllListeners('notification');
    // A slow connection still shows that this process is alive, so it is destroyed only after the new one is ready.
    this.#reconnecting = this.#reconnect().finally(() => lost.connection.stream.destroy());
  }

  async #reconnect(): Promise<void> {
    for (let pause = 50; !this.#closing.signal.aborted; pause = Math.min(pause * 2, maxPauseMs)) {
      try {
        await this.#connect(async () => undefined);
        this.#options.pubSub.notifyGap();
        return;
      } catch {
        await wait(pause, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
      }
    }
  }
}
