import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { ChainHead } from '../../journal/store/store.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { type LiveOwner, listLiveOwners } from '../../core/locks/presence-lock.ts';
import type { CopiedPage, CopiedRow, CopiedTable, CopiedValue, CopySource } from '../copy/copy-ports.ts';
import { sqliteStore } from './sqlite-store.ts';

/** Tables that are derived from the journal or belong to this file only; they are not copied. */
const derivedTables = new Set(['entries', 'kinds', 'samples', 'anchor', 'tail']);

/** Tables that other stores represent differently: the query to read instead, and the column that orders its rows. */
const views: Readonly<Record<string, readonly [select: string, key: string]>> = {
  // An expired approval is outlived by the next one with the same binding.
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
/** Columns that every store numbers itself. */
const numbering = new Set(['place', 'position']);

const maxPageRows = 2000;
const maxPageChars = 2_000_000;

interface Shape {
  readonly columns: readonly string[];
  readonly key: readonly string[];
  readonly from: string;
}

/** Opens a SQLite store as the source of a copy. Blocks other writers until it is closed. */
export async function openSqliteSource(file: string): Promise<CopySource> {
  if (!existsSync(file)) throw new SignalboxError('store-unavailable', `there is no journal at ${file}`);
  // Opening the store moves entries from the tail file of a killed process into the table.
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

/** Locks the file before it checks for live writers, so that a process that starts afterward cannot write. */
function lockSource(database: DatabaseSync, file: string): void {
  let refused: unknown;
  try {
    database.exec('BEGIN IMMEDIATE');
  } catch (error) {
    refused = error;
  }
  const live = listLiveOwners(`${file}-writers`);
  if (live.length > 0)
    throw new SignalboxError(
      'copy-failed',
      `${file} is in use by ${live.map(displayName).join(', ')}; stop it, so that no records are written after the copy`,
    );
  if (refused !== undefined)
    throw new SignalboxError('copy-failed', `${file} cannot be locked: ${messageOf(refused)}`, { cause: refused });
}

/** Rejects a source that lost its newest entries. Only the source's anchor can show that; the copy would verify. */
function assertWhole(database: DatabaseSync, file: string): void {
  const lost = database
    .prepare(
      'SELECT seq FROM anchor WHERE seq > 0 AND NOT EXISTS (SELECT 1 FROM journal WHERE journal.seq = anchor.seq AND journal.hash = anchor.hash)',
    )
    .get();
  if (lost !== undefined)
    throw new SignalboxError(
      'copy-failed',
      `the journal ${file} is not intact: entry ${Number(lost['seq'])} is missing or was changed. Check it with: signalbox journal verify`,
    );
}

function displayName({ process, owner }: LiveOwner): string {
  return process === 0 ? owner : `process ${process}`;
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
