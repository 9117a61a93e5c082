import type { SessionWrite } from '../../journal/store/session-store.ts';
import { SessionTable, type Writers } from '../tables/session-table.ts';
import type { PostgresDatabase, PostgresParameter, Sql } from './postgres-database.ts';

// A turn that ends is excluded from the update, because one statement may change a row only once.
const writeSession = `WITH moved AS (
    UPDATE sessions SET last_seq = last_seq + cardinality($4::text[]), active_at = greatest(active_at, $3::bigint),
      turn_seq = CASE WHEN $5 THEN last_seq + 1 ELSE turn_seq END,
      agent = coalesce($6, agent), runtime = coalesce($7, runtime), model = coalesce($8, model), title = coalesce($9, title),
      permission_mode = coalesce($10, permission_mode), last_turn = coalesce($11, last_turn)
    WHERE id = $1 RETURNING last_seq),
  events AS (
    INSERT INTO session_events SELECT $1, moved.last_seq - cardinality($4::text[]) + event.place, $2::bigint, event.body
    FROM moved, unnest($4::text[]) WITH ORDINALITY AS event (body, place)),
  memory AS (
    INSERT INTO session_memories SELECT $1, $12 FROM moved WHERE $12::text IS NOT NULL
    ON CONFLICT (session) DO UPDATE SET memory = excluded.memory),
  waiting AS (
    UPDATE turns SET waits = $13 FROM moved
    WHERE $13::boolean IS NOT NULL AND session = $1 AND writer <> '' AND id IS DISTINCT FROM $14),
  ended AS (DELETE FROM turns USING moved WHERE session = $1 AND id = $14)
  SELECT last_seq AS last FROM moved`;

/** Writes each session with one statement, which is one round trip. */
export class PostgresSessionTable extends SessionTable {
  readonly #database: PostgresDatabase;

  constructor(database: PostgresDatabase, writers: Writers) {
    super(database, writers);
    this.#database = database;
  }

  async write(writes: readonly SessionWrite[]): Promise<readonly (number | undefined)[]> {
    const [only] = writes;
    if (only !== undefined && writes.length === 1) return [await writeOne(this.#database, only)];
    return await this.#database.transaction((sql) => Promise.all(writes.map((write) => writeOne(sql, write))));
  }
}

async function writeOne(sql: Sql, write: SessionWrite): Promise<number | undefined> {
  const { session, at, idle = false, events, set = {}, memory, begins = false, waits, ends } = write;
  const { agent, runtime, model, title, permissionMode, lastTurn } = set;
  const optional = [agent, runtime, model, title, permissionMode, lastTurn, memory, waits, ends];
  const values: PostgresParameter[] = [session, at, idle ? 0 : at, events, begins];
  const [row] = await sql.rows<{ last: number }>(writeSession, [...values, ...optional.map((value) => value ?? null)]);
  return row?.last;
}
