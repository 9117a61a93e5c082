import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { ChainHead } from '../../journal/store/store.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import type { CopiedPage, CopiedRow, CopiedTable, CopiedValue, CopySource } from '../copy/copy-source.ts';
import { sqliteStore } from './sqlite-store.ts';
import { type LivingWriter, livingWriters } from './writer-lock.ts';

/** What is made from the journal, or is of this file alone. */
const derivedTables = new Set(['entries', 'kinds', 'samples', 'anchor', 'tail']);

/** Tables that are kept another way elsewhere: what to read in their place, and the column their rows are in order by. */
const views: Readonly<Record<string, readonly [select: string, key: string]>> = {
  // A question that expired made room for the next one.
  approvals: [
    `SELECT rowid AS place, *, closed = 0 AND EXISTS (
       SELECT 1 FROM approvals AS later WHERE later.binding = asked.binding AND later.closed = 0 AND later.rowid > asked.rowid
     ) AS outlived FROM approvals AS asked`,
    'place',
  ],
  open_calls: [
    `SELECT journal.call, journal.seq, journal.writer FROM entries JOIN journal ON journal.seq = entries.seq
     WHERE entries.type = 'CallStarted' AND entries.latest = 1`,
    'seq',
  ],
  turns: ['SELECT * FROM turns', 'position'],
};
/** What gets a number of its own in every store. */
const numbering = new Set(['place', 'position']);

const maxPageRows = 2000;
const maxPageChars = 2_000_000;

interface Shape {
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly from: string;
}

/** Opens the records in a SQLite file to copy them. Nobody else can write until it is closed. */
export async function openSqliteSource(file: string): Promise<CopySource> {
  if (!existsSync(file)) throw new SignalboxError('store-unavailable', `there is no journal at ${file}`);
  // Brings in what a killed process left beside the file, and the tables up to date.
  await sqliteStore({ file }).close();
  const database = new DatabaseSync(file, { timeout: 1000 });
  try {
    lockSource(database, file);
    assertWhole(database, file);
    return new SqliteSource(database, file);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** The lock comes first: a process that starts after we looked cannot write. */
function lockSource(database: DatabaseSync, file: string): void {
  let refused: unknown;
  try {
    database.exec('BEGIN IMMEDIATE');
  } catch (error) {
    refused = error;
  }
  const living = livingWriters(`${file}-writers`);
  if (living.length > 0)
    throw new SignalboxError(
      'copy-failed',
      `${file} is in use by ${living.map(named).join(', ')}; stop it, so that nothing is written that would not be copied`,
    );
  if (refused !== undefined)
    throw new SignalboxError('copy-failed', `${file} cannot be locked: ${messageOf(refused)}`, { cause: refused });
}

/** The copy is proven by its own end: that the source had more is known here alone. */
function assertWhole(database: DatabaseSync, file: string): void {
  const lost = database
    .prepare(
      'SELECT seq FROM anchor WHERE seq > 0 AND NOT EXISTS (SELECT 1 FROM journal WHERE journal.seq = anchor.seq AND journal.hash = anchor.hash)',
    )
    .get();
  if (lost !== undefined)
    throw new SignalboxError(
      'copy-failed',
      `the journal ${file} does not hold: entry ${Number(lost['seq'])} is missing or was changed. See what is left: signalbox journal verify`,
    );
}

function named({ process, writer }: LivingWriter): string {
  return process === 0 ? writer : `process ${process}`;
}

class SqliteSource implements CopySource {
  readonly location: string;
  readonly head: ChainHead;
  readonly tables: readonly CopiedTable[];
  readonly #database: DatabaseSync;
  readonly #shapes = new Map<string, Shape>();
  readonly #statements = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, file: string) {
    this.#database = database;
    this.location = file;
    const head = database.prepare('SELECT seq, hash FROM journal ORDER BY seq DESC LIMIT 1').get();
    this.head = head === undefined ? { seq: 0, hash: '' } : { seq: Number(head['seq']), hash: String(head['hash']) };
    const names = database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY rowid")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => !derivedTables.has(name));
    this.tables = [...names, 'open_calls'].map((name) => this.#table(name));
  }

  page({ name }: CopiedTable, after: readonly CopiedValue[] | undefined): CopiedPage {
    const { key, columns } = this.#shape(name);
    const rows: CopiedRow[] = [];
    let next = after ?? [];
    let length = 0;
    for (const row of this.#select(name, after === undefined).iterate(...next) as Iterable<unknown>) {
      const values = row as CopiedValue[];
      next = values.slice(columns.length);
      rows.push(values.slice(0, columns.length));
      length += values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0);
      if (rows.length === maxPageRows || length > maxPageChars) break;
    }
    return { rows, next: next.slice(0, key.length) };
  }

  close(): void {
    this.#database.close();
  }

  #table(name: string): CopiedTable {
    const { columns, from } = this.#shape(name);
    const counted = this.#database.prepare(`SELECT count(*) AS count FROM ${from}`).get();
    return { name, columns, rows: Number(counted?.['count']) };
  }

  #select(name: string, isFirst: boolean): StatementSync {
    const id = `${name} ${isFirst}`;
    const known = this.#statements.get(id);
    if (known !== undefined) return known;
    const { columns, key, from } = this.#shape(name);
    const keys = key.join(', ');
    const where = isFirst ? '' : `WHERE (${keys}) > (${key.map(() => '?').join(', ')})`;
    const statement = this.#database.prepare(
      `SELECT ${[...columns, ...key].join(', ')} FROM ${from} ${where} ORDER BY ${keys}`,
    );
    statement.setReturnArrays(true);
    this.#statements.set(id, statement);
    return statement;
  }

  #shape(name: string): Shape {
    let shape = this.#shapes.get(name);
    if (shape === undefined) this.#shapes.set(name, (shape = shapeOf(this.#database, name)));
    return shape;
  }
}

function shapeOf(database: DatabaseSync, name: string): Shape {
  const view = views[name];
  if (view !== undefined) {
    const [select, key] = view;
    const columns = database
      .prepare(select)
      .columns()
      .map((column) => column.name);
    return { columns: columns.filter((column) => !numbering.has(column)), key: [key], from: `(${select})` };
  }
  const columns = database.prepare(`SELECT name, pk FROM pragma_table_info(?) ORDER BY cid`).all(name);
  const key = columns
    .filter(({ pk }) => Number(pk) > 0)
    .toSorted((one, other) => Number(one['pk']) - Number(other['pk']));
  return { columns: columns.map(nameOf), key: key.map(nameOf), from: name };
}

function nameOf(column: Record<string, unknown>): string {
  return String(column['name']);
}
