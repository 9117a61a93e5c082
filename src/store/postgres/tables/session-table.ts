import {
  type QueuedTurn,
  type SessionDraft,
  type SessionRecord,
  type SessionRecordQuery,
  type SessionStore,
  type SessionWrite,
  type StoredSessionEvent,
  type TurnDraft,
  type TurnRecord,
  sentMessagesMs,
} from '../../../journal/store/session-store.ts';
import type { RecoveryOptions } from '../../../journal/store/recovery-options.ts';
import type { Principal } from '../../../core/principal.ts';
import { Conditions } from '../../conditions.ts';
import { type Database, type Sql, type Value, numberPlaceholders } from '../database.ts';

export const sessionSchema = `
CREATE TABLE sessions (
  id text COLLATE "C" PRIMARY KEY, agent text NOT NULL, runtime text NOT NULL, model text NOT NULL, title text NOT NULL, cwd text NOT NULL,
  permission_mode text NOT NULL, owner text NOT NULL, owner_kind text NOT NULL, created_at bigint NOT NULL,
  active_at bigint NOT NULL, forked_from text NOT NULL, last_turn text NOT NULL, last_seq integer NOT NULL, turn_seq integer NOT NULL
);
CREATE INDEX sessions_active ON sessions (active_at, id);

CREATE TABLE session_memories (session text PRIMARY KEY, memory text NOT NULL);
CREATE TABLE session_events (session text NOT NULL, seq integer NOT NULL, at bigint NOT NULL, body text NOT NULL, PRIMARY KEY (session, seq));

-- A turn is stored here until it ends; then its events record it.
CREATE TABLE turns (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id text NOT NULL, session text NOT NULL, content text NOT NULL,
  author text NOT NULL, author_kind text NOT NULL, writer text NOT NULL, interrupted boolean NOT NULL, waits boolean NOT NULL
);
CREATE INDEX turns_session ON turns (session, position);
CREATE UNIQUE INDEX turns_running ON turns (session) WHERE writer <> '';

CREATE TABLE sent_messages (
  session text NOT NULL, key text NOT NULL, turn text NOT NULL, after_seq integer NOT NULL, position integer NOT NULL, at bigint NOT NULL,
  PRIMARY KEY (session, key)
);
`;

const columns = `id, agent, runtime, model, title, cwd, permission_mode AS "permissionMode", owner, owner_kind AS "ownerKind",
  created_at AS "createdAt", active_at AS "activeAt", forked_from AS "forkedFrom", last_turn AS "lastTurn", last_seq AS "lastSeq",
  turn_seq AS "turnSeq", (SELECT count(*) FROM turns WHERE session = sessions.id AND writer = '') AS queued,
  (SELECT waits FROM turns WHERE session = sessions.id AND writer <> '') AS waits`;

const insertSession = `INSERT INTO sessions SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10::bigint, $11::bigint, $12, $13, $14::integer,
  coalesce((SELECT least(turn_seq, $14::integer) FROM sessions WHERE id = $12), 0)`;
const copyEvents =
  'INSERT INTO session_events SELECT $1, seq, at, body FROM session_events WHERE session = $2 AND seq <= $3';
const copyMemory = 'INSERT INTO session_memories SELECT $1, memory FROM session_memories WHERE session = $2';
const insertTurn = `INSERT INTO turns (id, session, content, author, author_kind, writer, interrupted, waits)
  VALUES ($1, $2, $3, $4, $5, '', false, false)`;
const sentBefore =
  'SELECT turn AS "turnId", after_seq AS "afterSeq", position FROM sent_messages WHERE session = $1 AND key = $2 AND at > $3';
const insertSent = 'INSERT INTO sent_messages VALUES ($1, $2, $3, $4, $5, $6)';
const touch =
  "UPDATE sessions SET active_at = greatest(active_at, $1), title = CASE title WHEN '' THEN $2 ELSE title END WHERE id = $3";
const trimEvents =
  'DELETE FROM session_events WHERE session = $1 AND seq <= (SELECT last_seq FROM sessions WHERE id = $1) - $2::integer';

const turnColumns = 'id, session, content, author, author_kind AS "authorKind", interrupted';
const claimTurn = `UPDATE turns SET writer = $1 WHERE position = (SELECT min(position) FROM turns WHERE session = $2) AND writer = ''
  AND NOT EXISTS (SELECT 1 FROM turns WHERE session = $2 AND writer <> '') RETURNING ${turnColumns}`;

// A turn that ends is excluded from the update, because one statement may change a row only once.
const write = `WITH moved AS (
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

type SessionRow = Omit<SessionRecord, 'owner' | 'turn'> & {
  readonly owner: string;
  readonly ownerKind: Principal['kind'];
  readonly waits: boolean | null;
};
type TurnRow = Omit<TurnRecord, 'by'> & { readonly author: string; readonly authorKind: Principal['kind'] };

/** This process and the live ones. */
interface Writers {
  readonly own: string;
  living(looking?: RecoveryOptions): Promise<ReadonlySet<string>>;
}

/** Stores sessions, their events and queued turns. A change of a session's turns locks the session's row first. */
export class SessionTable implements SessionStore {
  readonly #database: Database;
  readonly #writers: Writers;

  constructor(database: Database, writers: Writers) {
    this.#database = database;
    this.#writers = writers;
  }

  async create({ owner, copiesTo = 0, ...draft }: SessionDraft): Promise<void> {
    const { id, agent, runtime, model, title, cwd, permissionMode, createdAt, activeAt, forkedFrom, lastTurn } = draft;
    const values = [id, agent, runtime, model, title, cwd, permissionMode, owner.id, owner.kind, createdAt, activeAt];
    await this.#database.transaction(async (sql) => {
      const inserted = sql.change(insertSession, [...values, forkedFrom, lastTurn, copiesTo]);
      const copied =
        copiesTo === 0
          ? []
          : [sql.change(copyEvents, [id, forkedFrom, copiesTo]), sql.change(copyMemory, [id, forkedFrom])];
      await Promise.all([inserted, ...copied]);
    });
  }

  async find(id: string): Promise<SessionRecord | undefined> {
    const [row] = await this.#database.rows<SessionRow>(`SELECT ${columns} FROM sessions WHERE id = $1`, [id]);
    return row === undefined ? undefined : sessionOf(row);
  }

  async select(query: SessionRecordQuery): Promise<readonly SessionRecord[]> {
    const conditions = toScopeConditions(query);
    conditions.add('active_at < ?', query.activeBefore);
    if (query.active === true) conditions.addConstant('EXISTS (SELECT 1 FROM turns WHERE session = sessions.id)');
    if (query.after !== undefined) {
      conditions.addConstant('(active_at, id) < (?, ?)');
      conditions.values.push(query.after.activeAt, query.after.id);
    }
    const sql = `SELECT ${columns} FROM sessions ${conditions.where} ORDER BY active_at DESC, id DESC LIMIT ?`;
    const rows = await this.#database.rows<SessionRow>(numberPlaceholders(sql), [...conditions.values, query.limit]);
    return rows.map(sessionOf);
  }

  async count(query: { cwd?: string; owner?: string } = {}): Promise<number> {
    const conditions = toScopeConditions(query);
    const sql = numberPlaceholders(`SELECT count(*) AS count FROM sessions ${conditions.where}`);
    const [row] = await this.#database.rows<{ count: number }>(sql, conditions.values);
    return row?.count ?? 0;
  }

  delete(id: string): Promise<boolean> {
    return this.#database.transaction(async (sql) => {
      const deleted = sql.change('DELETE FROM sessions WHERE id = $1', [id]);
      const rest = ['session_events', 'session_memories', 'turns', 'sent_messages'].map((table) =>
        sql.change(`DELETE FROM ${table} WHERE session = $1`, [id]),
      );
      await Promise.all([deleted, ...rest]);
      return await deleted;
    });
  }

  async memory(id: string): Promise<string | undefined> {
    const sql = 'SELECT memory FROM session_memories WHERE session = $1';
    const [row] = await this.#database.rows<{ memory: string }>(sql, [id]);
    return row?.memory;
  }

  async write(writes: readonly SessionWrite[]): Promise<readonly (number | undefined)[]> {
    const [only] = writes;
    if (only !== undefined && writes.length === 1) return [await writeOne(this.#database, only)];
    return await this.#database.transaction((sql) => Promise.all(writes.map((each) => writeOne(sql, each))));
  }

  events(id: string, after: number, limit: number): Promise<readonly StoredSessionEvent[]> {
    const sql = 'SELECT seq, at, body FROM session_events WHERE session = $1 AND seq > $2 ORDER BY seq LIMIT $3';
    return this.#database.rows(sql, [id, after, limit]);
  }

  async trim(id: string, keep: number): Promise<void> {
    await this.#database.change(trimEvents, [id, keep]);
  }

  queue({ id, session, content, by, at, title, most, key }: TurnDraft): Promise<QueuedTurn | undefined> {
    return this.#database.transaction(async (sql) => {
      await hold(sql, session);
      const [row] = await sql.rows<SessionRow>(`SELECT ${columns} FROM sessions WHERE id = $1`, [session]);
      if (row === undefined) return undefined;
      const since = at - sentMessagesMs;
      const [before] = key === undefined ? [] : await sql.rows<QueuedTurn>(sentBefore, [session, key, since]);
      if (before !== undefined) return before;
      const { queued, turn, lastSeq } = sessionOf(row);
      if (queued >= most) return undefined;
      const taken = { turnId: id, afterSeq: lastSeq, position: queued + (turn === 'none' ? 0 : 1) };
      const sent =
        key === undefined
          ? []
          : [
              sql.change('DELETE FROM sent_messages WHERE session = $1 AND at <= $2', [session, since]),
              sql.change(insertSent, [session, key, id, taken.afterSeq, taken.position, at]),
            ];
      await Promise.all([
        sql.change(insertTurn, [id, session, content, by.id, by.kind]),
        sql.change(touch, [at, title, session]),
        ...sent,
      ]);
      return taken;
    });
  }

  claim(session: string): Promise<TurnRecord | undefined> {
    return this.#database.transaction(async (sql) => {
      const [, [row]] = await Promise.all([
        hold(sql, session),
        sql.rows<TurnRow>(claimTurn, [this.#writers.own, session]),
      ]);
      if (row === undefined) return undefined;
      await sql.change('UPDATE sessions SET turn_seq = last_seq + 1 WHERE id = $1', [session]);
      return turnOf(row);
    });
  }

  async interrupt(session: string): Promise<readonly string[]> {
    const sql = 'UPDATE turns SET interrupted = true WHERE session = $1 RETURNING id';
    return (await this.#database.rows<{ id: string }>(sql, [session])).map(({ id }) => id);
  }

  async takeLost(looking?: RecoveryOptions): Promise<readonly TurnRecord[]> {
    const { own } = this.#writers;
    const writers = await this.#database.rows<{ writer: string }>(
      "SELECT DISTINCT writer FROM turns WHERE writer NOT IN ('', $1)",
      [own],
    );
    if (writers.length === 0) return [];
    const living = await this.#writers.living(looking);
    const dead = writers.map(({ writer }) => writer).filter((writer) => !living.has(writer));
    const take = `UPDATE turns SET writer = $1 WHERE writer = ANY($2::text[]) RETURNING ${turnColumns}`;
    return (await this.#database.rows<TurnRow>(take, [own, dead])).map(turnOf);
  }

  async claimed(): Promise<readonly TurnRecord[]> {
    const sql = `SELECT ${turnColumns} FROM turns WHERE writer <> '' AND writer = $1 ORDER BY position`;
    return (await this.#database.rows<TurnRow>(sql, [this.#writers.own])).map(turnOf);
  }

  async waiting(most: number): Promise<readonly string[]> {
    const sql = `SELECT session FROM turns GROUP BY session HAVING bool_and(writer = '') ORDER BY min(position) LIMIT $1`;
    return (await this.#database.rows<{ session: string }>(sql, [most])).map(({ session }) => session);
  }
}

async function hold(sql: Sql, session: string): Promise<void> {
  await sql.rows('SELECT 1 FROM sessions WHERE id = $1 FOR UPDATE', [session]);
}

async function writeOne(sql: Sql, given: SessionWrite): Promise<number | undefined> {
  const { session, at, idle, events, set = {}, memory, begins = false, waits, ends } = given;
  const { agent, runtime, model, title, permissionMode, lastTurn } = set;
  const facts = [agent, runtime, model, title, permissionMode, lastTurn].map((fact) => fact ?? null);
  const active = idle === true ? 0 : at;
  const values: Value[] = [session, at, active, events, begins, ...facts, memory ?? null, waits ?? null, ends ?? null];
  const [row] = await sql.rows<{ last: number }>(write, values);
  return row?.last;
}

function toScopeConditions({ cwd, owner }: { readonly cwd?: string; readonly owner?: string }): Conditions {
  const conditions = new Conditions();
  conditions.add('cwd = ?', cwd);
  conditions.add('owner = ?', owner);
  return conditions;
}

function sessionOf({ owner: id, ownerKind: kind, waits, ...rest }: SessionRow): SessionRecord {
  return { ...rest, owner: { id, kind }, turn: waits === null ? 'none' : waits ? 'waiting' : 'running' };
}

function turnOf({ id, session, content, author, authorKind, interrupted }: TurnRow): TurnRecord {
  return { id, session, content, by: { id: author, kind: authorKind }, interrupted };
}
