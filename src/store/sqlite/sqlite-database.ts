import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { SignalboxError } from '../../core/errors.ts';
import type { Operation, Parameter, Statement, TableDatabase } from '../tables/table-database.ts';
import { Checkpointer, maxLogPages } from './checkpointer.ts';
import { DurableLog } from './durable-log.ts';
import { dialect, schema, schemaVersion } from './schema.ts';
import { storeFailure } from './store-failure.ts';

/** The maximum time to wait for other writers. */
const busyTimeoutMs = 5000;

/** The database of a store, with its prepared statements. All statements run synchronously, also when they return a promise. */
export class SqliteDatabase implements TableDatabase {
  readonly dialect = dialect;
  readonly location: string;
  readonly isOnDisk: boolean;
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #checkpointer: Checkpointer | undefined;
  readonly #log: DurableLog | undefined;

  /** Opens a file, or `:memory:`, and creates missing tables. */
  constructor(file: string) {
    this.isOnDisk = file !== ':memory:';
    this.location = this.isOnDisk ? file : 'memory';
    if (this.isOnDisk) makePrivate(file);
    this.#database = new DatabaseSync(file, { timeout: busyTimeoutMs });
    // FULL until the schema is in place, which also puts the log's directory entry on the disk; then see DurableLog.
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    this.#createTables();
    this.#database.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = ${maxLogPages}`);
    if (!this.isOnDisk) return;
    this.#checkpointer = new Checkpointer(file);
    this.#log = new DurableLog(`${file}-wal`, () => this.#restartLog());
  }

  /** Returns a prepared statement from the cache. */
  prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) this.#prepared.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }

  async rows<Row>(sql: string, parameters?: readonly Parameter[]): Promise<Row[]> {
    return this.rowsSync(sql, parameters);
  }

  async change(sql: string, parameters?: readonly Parameter[]): Promise<boolean> {
    return this.#changeSync(sql, parameters);
  }

  /** SQLite has one writer at a time. */
  changeAlone(_table: string, sql: string, parameters: readonly Parameter[]): Promise<boolean> {
    return this.change(sql, parameters);
  }

  async run<Result>(operation: () => Operation<Result>): Promise<Result> {
    const result = this.transactionSync(() => this.runSync(operation()));
    this.noteCommit(1);
    return result;
  }

  /** Returns copies of the rows: rows have no prototype, so they would not be deeply equal to the stored objects. */
  rowsSync<Row>(sql: string, parameters: readonly Parameter[] = []): Row[] {
    try {
      return this.prepare(sql)
        .all(...parameters.map(toSqlite))
        .map((row) => ({ ...(row as Row) }));
    } catch (error) {
      throw storeFailure(error, this.location);
    }
  }

  /** Runs an operation in the present transaction. */
  runSync<Result>(operation: Operation<Result>): Result {
    let step = operation.next([]);
    while (step.done !== true) step = operation.next(step.value.map((statement) => this.#reply(statement)));
    return step.value;
  }

  transactionSync<Result>(work: () => Result): Result {
    try {
      this.prepare('BEGIN IMMEDIATE').run();
      const result = work();
      this.prepare('COMMIT').run();
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw storeFailure(error, this.location);
    }
  }

  /** Reports a commit with this number of rows, after which a checkpoint may be due. */
  noteCommit(rows: number): void {
    this.#checkpointer?.committed(rows);
  }

  /** Resolves when all commits are on the disk. */
  async flush(): Promise<void> {
    try {
      await this.#log?.flush();
    } catch (error) {
      throw storeFailure(error, this.location);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#log?.close(), this.#checkpointer?.close()]);
    this.#database.close();
  }

  #reply({ sql, parameters, replyWith }: Statement): unknown {
    return replyWith === 'rows' ? this.rowsSync(sql, parameters) : this.#changeSync(sql, parameters);
  }

  #changeSync(sql: string, parameters: readonly Parameter[] = []): boolean {
    try {
      return Number(this.prepare(sql).run(...parameters.map(toSqlite)).changes) > 0;
    } catch (error) {
      throw storeFailure(error, this.location);
    }
  }

  /** Moves the whole log into the database now. Does not wait for other processes, because that would block the event loop. */
  #restartLog(): void {
    this.#database.exec('PRAGMA busy_timeout = 0');
    try {
      const { busy } = this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number };
      if (busy === 0) return;
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    }
    const why = 'the last flush failed, and another process uses the log; try again in a moment';
    throw new SignalboxError('store-unavailable', `the journal ${this.location} cannot be flushed to disk: ${why}`);
  }

  #createTables(): void {
    this.transactionSync(() => {
      const { user_version: version } = this.#database.prepare('PRAGMA user_version').get() as { user_version: number };
      if (version > schemaVersion)
        throw new SignalboxError(
          'store-newer',
          `${this.location} was written by a newer Signalbox (schema ${version}, this one knows ${schemaVersion}): update Signalbox`,
        );
      if (version < schemaVersion) this.#database.exec(`${schema} PRAGMA user_version = ${schemaVersion}`);
    });
  }
}

function toSqlite(value: Parameter): string | number | null {
  return typeof value === 'boolean' ? Number(value) : value;
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
