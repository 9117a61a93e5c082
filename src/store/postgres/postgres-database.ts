import type Driver from 'pg';
import { SignalboxError } from '../../core/errors.ts';
import type { Dialect, Operation, Parameter, TableDatabase } from '../tables/table-database.ts';
import type { PostgresAddress } from './address.ts';
import { isServerError, isRetryable, storeFailure } from './store-failure.ts';

/** A parameter of a statement for PostgreSQL. */
export type PostgresParameter = Parameter | readonly (string | number | null)[];

/** Runs statements with placeholders `?`, `?1` or `$1`, either each on its own or all in one transaction. */
export interface Sql {
  rows<Row>(sql: string, parameters?: readonly PostgresParameter[]): Promise<Row[]>;
  /** Runs a statement and returns whether it changed any row. */
  change(sql: string, parameters?: readonly PostgresParameter[]): Promise<boolean>;
}

export const dialect: Dialect = {
  name: 'postgres',
  integer: 'bigint',
  boolean: 'boolean',
  orderedText: 'text COLLATE "C"',
  identity: 'bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  rowTable: '',
  keyTable: '',
  forUpdate: 'FOR UPDATE',
  isFalse: (column) => `NOT ${column}`,
};

const connectMs = 5000;
const statementMs = 10_000;
const maxAttempts = 4;
const longStatementMs = 60_000;

/** A database with a connection pool. `synchronous_commit` stays on, so acknowledged changes are on its disk. */
export class PostgresDatabase implements TableDatabase, Sql {
  readonly dialect = dialect;
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

  rows<Row>(sql: string, parameters?: readonly PostgresParameter[]): Promise<Row[]> {
    return this.#with((client) => sqlOf(client).rows(sql, parameters));
  }

  change(sql: string, parameters?: readonly PostgresParameter[]): Promise<boolean> {
    return this.#with((client) => sqlOf(client).change(sql, parameters));
  }

  changeAlone(table: string, sql: string, parameters: readonly Parameter[]): Promise<boolean> {
    return this.transaction(async (transaction) => {
      const locked = transaction.rows(`LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`);
      const [changed] = await Promise.all([transaction.change(sql, parameters), locked]);
      return changed;
    });
  }

  run<Result>(operation: () => Operation<Result>): Promise<Result> {
    return this.transaction((sql) => runAsync(sql, operation()));
  }

  /** Pipelines statements, each in its own transaction, and waits for all. */
  async pipeline(
    statements: readonly {
      readonly name: string;
      readonly sql: string;
      readonly values: readonly PostgresParameter[];
    }[],
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
      if (!isServerError(error)) broken = storeFailure(error, this.location);
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

/** Runs an operation in the transaction of the caller. */
export async function runAsync<Result>(sql: Sql, operation: Operation<Result>): Promise<Result> {
  let step = operation.next([]);
  while (step.done !== true) {
    const replies = step.value.map((statement) => sql[statement.replyWith](statement.sql, statement.parameters));
    step = operation.next(await Promise.all(replies));
  }
  return step.value;
}

async function transact<Result>(client: Driver.PoolClient, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  const begun = client.query('BEGIN');
  try {
    const [result] = await Promise.all([work(sqlOf(client)), begun]);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    if (isServerError(error)) await client.query('ROLLBACK');
    throw error;
  }
}

function sqlOf(client: Driver.PoolClient): Sql {
  return {
    rows: async <Row>(sql: string, parameters: readonly PostgresParameter[] = []) =>
      (await client.query(numberPlaceholders(sql), replaceNuls(parameters))).rows as Row[],
    change: async (sql, parameters = []) => {
      const { rowCount } = await client.query(numberPlaceholders(sql), replaceNuls(parameters));
      return (rowCount ?? 0) > 0;
    },
  };
}

const numbered = new Map<string, string>();

/** Replaces each placeholder `?` or `?1` by one of PostgreSQL. */
function numberPlaceholders(sql: string): string {
  let known = numbered.get(sql);
  if (known === undefined) {
    let count = 0;
    known = sql.replaceAll(/\?(\d*)/g, (_, number: string) => `$${number || (count += 1)}`);
    numbered.set(sql, known);
  }
  return known;
}

/** Waits for all queries, even when one fails, so that the connection is free afterward. */
async function awaitAll(queries: readonly Promise<Driver.QueryResult>[]): Promise<unknown[][]> {
  await Promise.allSettled(queries);
  return (await Promise.all(queries)).map(({ rows }) => rows as unknown[]);
}

/** Replaces NUL, which PostgreSQL cannot store, by U+FFFD. */
function replaceNuls(values: readonly PostgresParameter[]): unknown[] {
  return values.map((value) =>
    typeof value === 'object' && value !== null ? value.map(replaceNul) : replaceNul(value),
  );
}

export function replaceNul(value: string): string;
export function replaceNul<Item>(value: Item): Item | string;
export function replaceNul(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD') : value;
}
