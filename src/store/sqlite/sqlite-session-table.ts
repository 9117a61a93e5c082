import type { SessionWrite } from '../../journal/store/session-store.ts';
import { SessionTable, type Writers } from '../tables/session-table.ts';
import { type Operation, change, execute, select } from '../tables/table-database.ts';
import type { SqliteDatabase } from './sqlite-database.ts';

const advance = `UPDATE sessions SET last_seq = last_seq + ?1, active_at = max(active_at, ?2),
  turn_seq = CASE WHEN ?3 THEN last_seq + 1 ELSE turn_seq END,
  agent = ifnull(?4, agent), runtime = ifnull(?5, runtime), model = ifnull(?6, model), title = ifnull(?7, title),
  permission_mode = ifnull(?8, permission_mode), last_turn = ifnull(?9, last_turn) WHERE id = ?10 RETURNING last_seq AS last`;

/** Writes sessions with several statements, because SQLite has no statement that changes several tables. */
export class SqliteSessionTable extends SessionTable {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase, writers: Writers) {
    super(database, writers);
    this.#database = database;
  }

  write(writes: readonly SessionWrite[]): Promise<readonly (number | undefined)[]> {
    return this.#database.run(function* () {
      const written: (number | undefined)[] = [];
      for (const write of writes) written.push(yield* writeOne(write));
      return written;
    });
  }
}

function* writeOne(write: SessionWrite): Operation<number | undefined> {
  const { session, at, idle = false, events, set = {}, memory, begins = false, waits, ends } = write;
  const { agent, runtime, model, title, permissionMode, lastTurn } = set;
  const facts = [agent, runtime, model, title, permissionMode, lastTurn].map((fact) => fact ?? null);
  const values = [events.length, idle ? 0 : at, begins, ...facts, session];
  const [[row]] = yield* execute(select<{ last: number }>(advance, values));
  if (row === undefined) return undefined;
  const first = row.last - events.length + 1;
  const statements = events.map((body, index) =>
    change('INSERT INTO session_events VALUES (?, ?, ?, ?)', [session, first + index, at, body]),
  );
  if (memory !== undefined)
    statements.push(change('INSERT OR REPLACE INTO session_memories VALUES (?, ?)', [session, memory]));
  if (waits !== undefined)
    statements.push(change("UPDATE turns SET waits = ? WHERE session = ? AND writer <> ''", [waits, session]));
  if (ends !== undefined) statements.push(change('DELETE FROM turns WHERE session = ? AND id = ?', [session, ends]));
  yield* execute(...statements);
  return row.last;
}
