import type { Client } from 'pg';
import { type ChainVerification, verifyChain } from '../../journal/integrity/hash-chain.ts';
import type { ChainHead } from '../../journal/store/store.ts';
import { SignalboxError } from '../../core/errors.ts';
import type {
  CopiedPage,
  CopiedRow,
  CopyReportProgress,
  CopiedTable,
  CopiedValue,
  CopySource,
  CopyTarget,
} from '../copy/copy-ports.ts';
import { readBeginning } from '../tables/seal-operations.ts';
import { type PostgresAddress, parseAddress } from './address.ts';
import { startCopy, readCopy, lockForCopy, saveProgress, readProgress } from './copy-progress.ts';
import { PostgresDatabase, loadDriver, replaceNul } from './postgres-database.ts';
import { toEntryFacts } from './journal/entry-facts.ts';
import { JournalTable, flush } from './journal/journal-table.ts';
import { createTables } from './create-tables.ts';
import { liveWriters, toLockNumber } from './listen-connection.ts';
import { storeFailure } from './store-failure.ts';

const factNames = ['server', 'decision', 'principal', 'ms'] as const;
const pageSize = 2000;

/** Opens a database to copy the records of a source into it. Refuses one that holds anything but an earlier copy of it. */
export async function openPostgresTarget(
  text: string,
  source: CopySource,
  options: { readonly restart?: boolean } = {},
): Promise<CopyTarget> {
  const address = parseAddress(text);
  const database = new PostgresDatabase(await loadDriver(), address);
  const client = database.client();
  // The statement in progress rejects with the same error.
  client.on('error', () => undefined);
  const target = new PostgresTarget(database, client, address);
  try {
    await client.connect();
    await target.prepare(source, options.restart === true);
    return target;
  } catch (error) {
    await target.close();
    throw storeFailure(error, address.location);
  }
}

class PostgresTarget implements CopyTarget {
  readonly location: string;
  isFinished = false;
  readonly #database: PostgresDatabase;
  readonly #client: Client;
  readonly #address: PostgresAddress;
  #progress = new Map<string, CopyReportProgress>();
  #types = new Map<string, ReadonlyMap<string, string>>();

  constructor(database: PostgresDatabase, client: Client, address: PostgresAddress) {
    this.location = address.location;
    this.#database = database;
    this.#client = client;
    this.#address = address;
  }

  async prepare(source: CopySource, restart: boolean): Promise<void> {
    const client = this.#client;
    const lock = toLockNumber(this.#address);
    await createTables(client, this.#address, lock);
    if (!(await lockForCopy(client, lock)))
      throw this.#refusal('is being filled by another signalbox migrate, or is being opened', 'wait until it is done');
    const { rows: living } = await client.query(liveWriters, [lock]);
    if (living.length > 0)
      throw this.#refusal('is in use', 'stop the processes that use it, or choose another database');
    this.#types = await this.#columnTypes();
    this.#refuseUnknown(source);
    const firstHash = readFirstHash(source);
    let copy = await readCopy(client);
    if (copy !== undefined && !copy.finished && restart) {
      await this.#empty(source);
      copy = undefined;
    }
    if (copy === undefined) {
      await this.#refuseFilled(source);
      await startCopy(client, source.location, firstHash);
    } else if (copy.firstHash !== firstHash)
      throw this.#refusal(`contains a copy of another journal, ${copy.source}`, 'choose another database or ?schema=');
    this.#progress = await readProgress(client);
    if (copy?.finished !== true) return;
    const [head] = await this.#database.rows<ChainHead>('SELECT seq, hash FROM head');
    if (head?.seq !== source.head.seq || head.hash !== source.head.hash)
      throw this.#refusal(`has been in use since ${copy.source} was copied there`, 'nothing is left to do');
    this.isFinished = true;
  }

  soFar({ name }: CopiedTable): CopyReportProgress {
    return this.#progress.get(name) ?? { rows: 0, next: undefined };
  }

  async write(table: CopiedTable, page: CopiedPage): Promise<void> {
    const { name } = table;
    const columns = this.#columns(table, page.rows);
    const names = [...columns.keys()];
    const types = names.map((column) => this.#types.get(name)?.get(column) ?? 'text');
    const insert = `INSERT INTO ${name} (${names.map(quoteColumn).join(', ')})
      SELECT * FROM unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})`;
    const last = name === 'journal' ? page.rows.at(-1) : undefined;
    const values = new Map(table.columns.map((column, index) => [column, last?.[index]]));
    // The statements are pipelined in one round trip.
    const statements = [
      this.#client.query('BEGIN; SET LOCAL synchronous_commit = off'),
      this.#client.query(insert, [...columns.values()]),
      ...(last === undefined
        ? []
        : [this.#client.query('UPDATE head SET seq = $1, hash = $2', [values.get('seq'), values.get('hash')])]),
      this.#client.query(saveProgress, [name, page.rows.length, JSON.stringify(page.next)]),
      this.#client.query('COMMIT'),
    ];
    try {
      await Promise.allSettled(statements);
      await Promise.all(statements);
    } catch (error) {
      throw storeFailure(error, this.location);
    }
  }

  async verify(expected: ChainHead, signal?: AbortSignal): Promise<ChainVerification> {
    await this.#database.pipeline([flush]);
    await this.#client.query('ANALYZE');
    const journal = new JournalTable(this.#database, '');
    return await verifyChain(
      {
        anchor: () => journal.head(),
        beginning: () => readBeginning(this.#database),
        entries: (query) => journal.entries(query),
      },
      { ...(expected.seq === 0 ? {} : { expected }), ...(signal === undefined ? {} : { signal }) },
    );
  }

  async *rows({ name, columns }: CopiedTable): AsyncGenerator<readonly CopiedRow[]> {
    const wanted = columns.map((column) =>
      this.#types.get(name)?.get(column) === 'boolean' ? `${quoteColumn(column)}::integer` : quoteColumn(column),
    );
    await this.#client.query(`BEGIN; DECLARE copied NO SCROLL CURSOR FOR SELECT ${wanted.join(', ')} FROM ${name}`);
    try {
      for (;;) {
        const query = { text: `FETCH ${pageSize} FROM copied`, rowMode: 'array' as const };
        const { rows } = await this.#client.query<CopiedValue[]>(query);
        if (rows.length === 0) return;
        yield rows;
      }
    } finally {
      await this.#client.query('COMMIT');
    }
  }

  async finish(): Promise<void> {
    await this.#database.change('UPDATE copies SET finished = true');
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => undefined);
    await this.#database.close();
  }

  /** Converts rows to the column arrays that this database stores. */
  #columns({ name, columns }: CopiedTable, rows: readonly CopiedRow[]): Map<string, unknown[]> {
    const types = this.#types.get(name);
    const values = new Map<string, unknown[]>(
      columns.map((column, index) => [
        column,
        types?.get(column) === 'boolean'
          ? rows.map((row) => row[index] === 1)
          : rows.map((row) => replaceNul(row[index])),
      ]),
    );
    if (name !== 'journal') return values;
    refuseNul(columns, rows);
    const facts = values.get('body')?.map((body) => toEntryFacts(String(body))) ?? [];
    for (const fact of factNames)
      values.set(
        fact,
        facts.map((each) => each[fact]),
      );
    return values;
  }

  async #columnTypes(): Promise<Map<string, Map<string, string>>> {
    const { rows } = await this.#client.query<{ table: string; column: string; type: string }>(
      `SELECT table_name AS table, column_name AS column, data_type AS type FROM information_schema.columns WHERE table_schema = $1`,
      [this.#address.schema],
    );
    const tables = Map.groupBy(rows, ({ table }) => table);
    return new Map(
      Array.from(tables, ([table, columns]) => [table, new Map(columns.map(({ column, type }) => [column, type]))]),
    );
  }

  /** Rejects a source with tables or columns that this schema lacks, because they would be lost. */
  #refuseUnknown(source: CopySource): void {
    for (const { name, columns } of source.tables) {
      const missing = columns.find((column) => this.#types.get(name)?.has(column) !== true);
      if (missing !== undefined) throw this.#refusal(`has no column ${name}.${missing}`, 'report this as a bug');
    }
  }

  async #refuseFilled({ tables }: CopySource): Promise<void> {
    for (const { name } of tables) {
      const { rowCount } = await this.#client.query(`SELECT 1 FROM ${name} LIMIT 1`);
      if (rowCount !== 0)
        throw this.#refusal(`already contains records (${name})`, 'choose an empty database, or another ?schema=');
    }
  }

  async #empty({ tables }: CopySource): Promise<void> {
    const names = [...tables.map(({ name }) => name), 'copies', 'copied_tables'].join(', ');
    await this.#client.query(`BEGIN; TRUNCATE ${names}; UPDATE head SET seq = 0, hash = ''; COMMIT`);
  }

  #refusal(what: string, next: string): SignalboxError {
    return new SignalboxError('copy-failed', `${this.location} ${what}; ${next}`);
  }
}

function quoteColumn(column: string): string {
  return `"${column}"`;
}

/** Rejects entries with NUL characters: PostgreSQL cannot store them, and replacing them would break the hash chain. */
function refuseNul(columns: readonly string[], rows: readonly CopiedRow[]): void {
  const found = rows.find((row) => row.some((value) => typeof value === 'string' && value.includes('\0')));
  if (found !== undefined)
    throw new SignalboxError(
      'copy-failed',
      `entry ${found[columns.indexOf('seq')]} has a NUL character in a name, which PostgreSQL cannot store: this journal cannot be copied there`,
    );
}

function readFirstHash(source: CopySource): string {
  const journal = source.tables.find(({ name }) => name === 'journal');
  const first = journal === undefined ? undefined : source.page(journal, undefined).rows[0];
  return String(first?.[journal?.columns.indexOf('hash') ?? 0] ?? '');
}
