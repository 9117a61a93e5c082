import type { Client } from 'pg';
import { SignalboxError } from '../../core/errors.ts';
import type { CopyReportProgress } from '../copy/copy-ports.ts';
import type { PostgresAddress } from './address.ts';

/** The state of a copy from another store, and the progress of each table. */
export const copySchema = `
CREATE TABLE copies (id integer PRIMARY KEY CHECK (id = 1), source text NOT NULL, first_hash text NOT NULL, finished boolean NOT NULL);
CREATE TABLE copied_tables (name text PRIMARY KEY, rows bigint NOT NULL, next text NOT NULL);
`;

/** The copy that fills, or filled, this store. */
export interface Copy {
  readonly source: string;
  /** The hash of the first entry, which identifies the source. */
  readonly firstHash: string;
  readonly finished: boolean;
}

/** Locks the store for a copy until the connection ends. Returns false when another process uses it. */
export async function lockForCopy(client: Client, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1, -1) AS got', [lock]);
  return rows[0]?.got === true;
}

/** Prevents a copy from starting while a process opens the store. Rejects when the store holds an incomplete copy, whose journal would lack its end. */
export async function refuseUnfinishedCopy(client: Client, { location }: PostgresAddress, lock: number): Promise<void> {
  const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_lock_shared($1, -1) AS got', [lock]);
  const copy = await readCopy(client);
  if (copy !== undefined && !copy.finished)
    throw new SignalboxError(
      'store-unavailable',
      `${location} contains an unfinished copy of ${copy.source}; run signalbox migrate again to resume it`,
    );
  if (rows[0]?.got !== true)
    throw new SignalboxError(
      'store-unavailable',
      `${location} is being filled by signalbox migrate; wait until it is done`,
    );
}

export async function readCopy(client: Client): Promise<Copy | undefined> {
  const { rows } = await client.query<Copy>('SELECT source, first_hash AS "firstHash", finished FROM copies');
  return rows[0];
}

export async function startCopy(client: Client, source: string, firstHash: string): Promise<void> {
  await client.query('INSERT INTO copies VALUES (1, $1, $2, false)', [source, firstHash]);
}

/** Returns the progress of each table. */
export async function readProgress(client: Client): Promise<Map<string, CopyReportProgress>> {
  const { rows } = await client.query<{ name: string; rows: number; next: string }>('SELECT * FROM copied_tables');
  return new Map(
    rows.map(({ name, rows: count, next }) => [
      name,
      { rows: count, next: JSON.parse(next) as CopyReportProgress['next'] },
    ]),
  );
}

export const saveProgress = `INSERT INTO copied_tables VALUES ($1, $2, $3)
  ON CONFLICT (name) DO UPDATE SET rows = copied_tables.rows + excluded.rows, next = excluded.next`;
