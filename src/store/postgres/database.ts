import type Driver from 'pg';
import { SignalboxError } from '../../core/errors.ts';
import type { PostgresAddress } from './address.ts';
import { isAnswer, isRetryable, storeFailure } from './store-failure.ts';

/** A parameter of a statement. */
export type Value = string | number | boolean | null | readonly (string | number | null)[];

/** Runs statements, either each on its own or all in one transaction. */
export interface Sql {
  rows<Row>(sql: string, values?: readonly Value[]): Promise<Row[]>;
  /** Runs a statement and returns whether it changed any row. */
  change(sql: string, values?: readonly Value[]): Promise<boolean>;
}

const connectMs = 5000;
const statementMs = 10_000;
const maxAttempts = 4;
const longStatementMs = 60_000;

/** A database with a connection pool. `synchronous_commit` stays on, so acknowledged changes are on its disk. */
export class Database implements Sql {
  readonly location: string;
  readonly #driver: typeof Driver;
  readonly #connection: string;
  readonly #pool: Driver.Pool;

  constructor(driver: typeof Driver, { connection, location, connections }: PostgresAddress) {
    this.#driver = driver;
    this.location = location;
    this.#connection = connection;
    this.#pool = new driver.Pool({
      ...this.#settings(),
      max: connections,
      statement_timeout: statementMs,
      // Covers a server that does not respond at all.
      query_timeout: statementMs + 2000,
      idle_in_transaction_session_timeout: statementMs,
    });
    // The pool replaces an idle connection that breaks.
    this.#pool.on('error', ignore);
    // A connection may fail before its user adds a listener, and an unhandled error event would end the process.
    this.#pool.on('connect', (client) => client.on('error', ignore));
  }

  /** Creates an unconnected client outside the pool, for statements that take long. */
  client(): Driver.Client {
    return new this.#driver.Client({ ...this.#settings(), query_timeout: longStatementMs });
  }

  async rows<Row>(sql: string, values: readonly Value[] = []): Promise<Row[]> {
    return await this.#with(async (client) => rowsOf<Row>(await client.query(sql, replaceNuls(values))));
  }

  async change(sql: string, values: readonly Value[] = []): Promise<boolean> {
    return await this.#with(async (client) => changed(await client.query(sql, replaceNuls(values))));
  }

  /** Pipelines statements, each in its own transaction, and waits for all. */
  async pipeline(
    statements: readonly { readonly name: string; readonly sql: string; readonly values: readonly Value[] }[],
  ): Promise<unknown[][]> {
    return await this.#with((client) =>
      awaitAll(
        statements.map(({ name, sql, values }) => client.query({ name, text: sql, values: replaceNuls(values) })),
      ),
    );
  }

  /** Runs work in a transaction and retries it after a conflict. Statements that are not awaited one by one share a round trip. */
  async transaction<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#with((client) => transact(client, work), attempt < maxAttempts);
      } catch (error) {
        if (attempt === maxAttempts || !isRetryable(error)) throw error;
      }
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #with<Result>(work: (client: Driver.PoolClient) => Promise<Result>, mayRetry = false): Promise<Result> {
    let client: Driver.PoolClient | undefined;
    let broken: Error | undefined;
    try {
      client = await this.#pool.connect();
      return await work(client);
    } catch (error) {
      if (!isAnswer(error)) broken = storeFailure(error, this.location);
      if (mayRetry && isRetryable(error)) throw error;
      throw broken ?? storeFailure(error, this.location);
    } finally {
      client?.release(broken);
    }
  }

  #settings(): Driver.PoolConfig {
    return {
      connectionString: this.#connection,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      application_name: 'signalbox',
      pipeline: true,
      types: {
        getTypeParser: (type: number, format?: 'text' | 'binary') =>
          type === bigint ? Number : this.#driver.types.getTypeParser(type, format),
      },
    };
  }
}

/** The type id of PostgreSQL's int8. Times and sequence numbers always fit into a number. */
const bigint = 20;
const ignore = (): void => undefined;

/** Loads the driver, which is only needed for PostgreSQL stores. */
export async function loadDriver(): Promise<typeof Driver> {
  try {
    return (await import('pg')).default;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new SignalboxError('store-unavailable', 'a PostgreSQL store needs the package pg; run: npm install pg', {
      cause: error,
    });
  }
}

/** Replaces each `?` of a statement by a numbered placeholder of PostgreSQL. */
export function numberPlaceholders(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${(count += 1)}`);
}

async function transact<Result>(client: Driver.PoolClient, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  const begun = client.query('BEGIN');
  try {
    const [result] = await Promise.all([
      work({
        rows: async <Row>(sql: string, values: readonly Value[] = []) =>
          rowsOf<Row>(await client.query(sql, replaceNuls(values))),
        change: async (sql, values = []) => changed(await client.query(sql, replaceNuls(values))),
      }),
      begun,
    ]);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    if (isAnswer(error)) await client.query('ROLLBACK');
    throw error;
  }
}

/** Waits for all queries, even when one fails, so that the connection is free afterward. */
async function awaitAll(queries: readonly Promise<Driver.QueryResult>[]): Promise<unknown[][]> {
  await Promise.allSettled(queries);
  return (await Promise.all(queries)).map(({ rows }) => rows as unknown[]);
}

function rowsOf<Row>(result: Driver.QueryResult): Row[] {
  return result.rows as Row[];
}

function changed({ rowCount }: Driver.QueryResult): boolean {
  return (rowCount ?? 0) > 0;
}

/** Replaces NUL, which PostgreSQL cannot store, by U+FFFD. */
function replaceNuls(values: readonly Value[]): unknown[] {
  return values.map((value) =>
    typeof value === 'object' && value !== null ? value.map(replaceNul) : replaceNul(value),
  );
}

export function replaceNul(value: string): string;
export function replaceNul<Item>(value: Item): Item | string;
export function replaceNul(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}
