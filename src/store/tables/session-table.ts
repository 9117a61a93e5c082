import type { Principal } from '../../core/principal.ts';
import {
  type QueuedTurn,
  type RecoveryOptions,
  type SessionDraft,
  type SessionRecord,
  type SessionRecordQuery,
  type SessionStore,
  type SessionWrite,
  type StoredSessionEvent,
  type TurnDraft,
  type TurnRecord,
  sentMessagesMs,
} from '../../journal/store/session-store.ts';
import { Conditions, placeholders } from '../conditions.ts';
import { type Dialect, type Operation, type TableDatabase, change, execute, select } from './table-database.ts';

/** The memory has its own table, because it is large and the session's row is written with every event. */
export function sessionSchema({ integer, boolean, orderedText, identity, rowTable, keyTable }: Dialect): string {
  return `
CREATE TABLE sessions (
  id ${orderedText} PRIMARY KEY, agent text NOT NULL, runtime text NOT NULL, model text NOT NULL, title text NOT NULL,
  cwd text NOT NULL, permission_mode text NOT NULL, owner text NOT NULL, owner_kind text NOT NULL, created_at ${integer} NOT NULL,
  active_at ${integer} NOT NULL, forked_from text NOT NULL, last_turn text NOT NULL, last_seq ${integer} NOT NULL,
  turn_seq ${integer} NOT NULL
) ${keyTable};
CREATE INDEX sessions_active ON sessions (active_at, id);

CREATE TABLE session_memories (session text PRIMARY KEY, memory text NOT NULL) ${keyTable};

CREATE TABLE session_events (
  session text NOT NULL, seq ${integer} NOT NULL, at ${integer} NOT NULL, body text NOT NULL, PRIMARY KEY (session, seq)
) ${keyTable};

-- A turn is stored here until it ends; then its events record it.
CREATE TABLE turns (
  position ${identity}, id text NOT NULL, session text NOT NULL, content text NOT NULL, author text NOT NULL,
  author_kind text NOT NULL, writer text NOT NULL, interrupted ${boolean} NOT NULL, waits ${boolean} NOT NULL
) ${rowTable};
CREATE INDEX turns_session ON turns (session, position);
CREATE UNIQUE INDEX turns_running ON turns (session) WHERE writer <> '';

CREATE TABLE sent_messages (
  session text NOT NULL, key text NOT NULL, turn text NOT NULL, after_seq ${integer} NOT NULL, position ${integer} NOT NULL,
  at ${integer} NOT NULL, PRIMARY KEY (session, key)
) ${keyTable};
`;
}

const columns = `id, agent, runtime, model, title, cwd, permission_mode AS "permissionMode", owner, owner_kind AS "ownerKind",
  created_at AS "createdAt", active_at AS "activeAt", forked_from AS "forkedFrom", last_turn AS "lastTurn", last_seq AS "lastSeq",
  turn_seq AS "turnSeq", (SELECT count(*) FROM turns WHERE session = sessions.id AND writer = '') AS queued,
  (SELECT waits FROM turns WHERE session = sessions.id AND writer <> '') AS waits`;
const findSession = `SELECT ${columns} FROM sessions WHERE id = ?`;
const insertSession = `INSERT INTO sessions VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, coalesce(
  (SELECT CASE WHEN turn_seq < ?14 THEN turn_seq ELSE ?14 END FROM sessions WHERE id = ?12), 0))`;
const copyEvents =
  'INSERT INTO session_events SELECT ?, seq, at, body FROM session_events WHERE session = ? AND seq <= ?';
const copyMemory = 'INSERT INTO session_memories SELECT ?, memory FROM session_memories WHERE session = ?';
const touch = `UPDATE sessions SET active_at = CASE WHEN active_at < ?1 THEN ?1 ELSE active_at END,
  title = CASE title WHEN '' THEN ?2 ELSE title END WHERE id = ?3`;

const turnColumns = 'id, session, content, author, author_kind AS "authorKind", interrupted';
const insertTurn = `INSERT INTO turns (id, session, content, author, author_kind, writer, interrupted, waits)
  VALUES (?, ?, ?, ?, ?, '', false, false)`;
const claimTurn = `UPDATE turns SET writer = ?1 WHERE position = (SELECT min(position) FROM turns WHERE session = ?2) AND writer = ''
  AND NOT EXISTS (SELECT 1 FROM turns WHERE session = ?2 AND writer <> '') RETURNING ${turnColumns}`;
const findSent = `SELECT turn AS "turnId", after_seq AS "afterSeq", position FROM sent_messages
  WHERE session = ? AND key = ? AND at > ?`;

// SQLite returns booleans as numbers.
type SessionRow = Omit<SessionRecord, 'owner' | 'turn'> & {
  readonly owner: string;
  readonly ownerKind: Principal['kind'];
  readonly waits: boolean | number | null;
};
type TurnRow = Omit<TurnRecord, 'by' | 'interrupted'> & {
  readonly author: string;
  readonly authorKind: Principal['kind'];
  readonly interrupted: boolean | number;
};

/** This process and the live ones. */
export interface Writers {
  readonly own: string;
  living(options?: RecoveryOptions): ReadonlySet<string> | Promise<ReadonlySet<string>>;
}

/** Stores sessions, their events and queued turns. A change of a session's turns locks the session's row first. */
export abstract class SessionTable implements SessionStore {
  readonly #database: TableDatabase;
  readonly #writers: Writers;

  constructor(database: TableDatabase, writers: Writers) {
    this.#database = database;
    this.#writers = writers;
  }

  /** The database does this in its own fastest form, because every streamed event of a turn is a write. */
  abstract write(writes: readonly SessionWrite[]): Promise<readonly (number | undefined)[]>;

  async create({ owner, copiesTo = 0, ...draft }: SessionDraft): Promise<void> {
    const { id, agent, runtime, model, title, cwd, permissionMode, createdAt, activeAt, forkedFrom, lastTurn } = draft;
    const values = [id, agent, runtime, model, title, cwd, permissionMode, owner.id, owner.kind, createdAt, activeAt];
    const inserted = change(insertSession, [...values, forkedFrom, lastTurn, copiesTo]);
    const copied =
      copiesTo === 0 ? [] : [change(copyEvents, [id, forkedFrom, copiesTo]), change(copyMemory, [id, forkedFrom])];
    await this.#database.run(() => execute(inserted, ...copied));
  }

  async find(id: string): Promise<SessionRecord | undefined> {
    const [row] = await this.#database.rows<SessionRow>(findSession, [id]);
    return row && toSession(row);
  }

  async select(query: SessionRecordQuery): Promise<readonly SessionRecord[]> {
    const conditions = toScopeConditions(query);
    conditions.add('active_at < ?', query.activeBefore);
    if (query.active === true) conditions.add('EXISTS (SELECT 1 FROM turns WHERE session = sessions.id)');
    conditions.add('(active_at, id) < (?, ?)', query.after?.activeAt, query.after?.id);
    const sql = `SELECT ${columns} FROM sessions ${conditions.where} ORDER BY active_at DESC, id DESC LIMIT ?`;
    return (await this.#database.rows<SessionRow>(sql, [...conditions.values, query.limit])).map(toSession);
  }

  async count(query: { cwd?: string; owner?: string } = {}): Promise<number> {
    const { where, values } = toScopeConditions(query);
    const sql = `SELECT count(*) AS count FROM sessions ${where}`;
    return (await this.#database.rows<{ count: number }>(sql, values))[0]?.count ?? 0;
  }

  delete(id: string): Promise<boolean> {
    const session = change('DELETE FROM sessions WHERE id = ?', [id]);
    const rest = ['session_events', 'session_memories', 'turns', 'sent_messages'].map((table) =>
      change(`DELETE FROM ${table} WHERE session = ?`, [id]),
    );
    return this.#database.run(function* () {
      const [isDeleted] = yield* execute(session, ...rest);
      return isDeleted;
    });
  }

  async memory(id: string): Promise<string | undefined> {
    const sql = 'SELECT memory FROM session_memories WHERE session = ?';
    return (await this.#database.rows<{ memory: string }>(sql, [id]))[0]?.memory;
  }

  events(id: string, after: number, limit: number): Promise<readonly StoredSessionEvent[]> {
    const sql = 'SELECT seq, at, body FROM session_events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?';
    return this.#database.rows(sql, [id, after, limit]);
  }

  async trim(id: string, keep: number): Promise<void> {
    const sql =
      'DELETE FROM session_events WHERE session = ?1 AND seq <= (SELECT last_seq FROM sessions WHERE id = ?1) - ?2';
    await this.#database.change(sql, [id, keep]);
  }

  queue(turn: TurnDraft): Promise<QueuedTurn | undefined> {
    return this.#database.run(() => this.#queue(turn));
  }

  *#queue({ id, session, content, by, at, title, maxWaiting, key }: TurnDraft): Operation<QueuedTurn | undefined> {
    const sentSince = at - sentMessagesMs;
    const [, [row], [before]] = yield* execute(
      this.#lock(session),
      select<SessionRow>(findSession, [session]),
      select<QueuedTurn>(findSent, [session, key ?? null, sentSince]),
    );
    if (row === undefined) return undefined;
    if (before !== undefined) return before;
    const { queued, turn, lastSeq } = toSession(row);
    if (queued >= maxWaiting) return undefined;
    const position = queued + (turn === 'none' ? 0 : 1);
    const sent =
      key === undefined
        ? []
        : [
            change('DELETE FROM sent_messages WHERE session = ? AND at <= ?', [session, sentSince]),
            change('INSERT INTO sent_messages VALUES (?, ?, ?, ?, ?, ?)', [session, key, id, lastSeq, position, at]),
          ];
    const inserted = change(insertTurn, [id, session, content, by.id, by.kind]);
    yield* execute(inserted, change(touch, [at, title, session]), ...sent);
    return { turnId: id, afterSeq: lastSeq, position };
  }

  claim(session: string): Promise<TurnRecord | undefined> {
    return this.#database.run(() => this.#claim(session));
  }

  *#claim(session: string): Operation<TurnRecord | undefined> {
    const claimed = select<TurnRow>(claimTurn, [this.#writers.own, session]);
    const [, [row]] = yield* execute(this.#lock(session), claimed);
    if (row !== undefined)
      yield* execute(change('UPDATE sessions SET turn_seq = last_seq + 1 WHERE id = ?', [session]));
    return row && toTurn(row);
  }

  async interrupt(session: string): Promise<readonly string[]> {
    const sql = 'UPDATE turns SET interrupted = true WHERE session = ? RETURNING id';
    return (await this.#database.rows<{ id: string }>(sql, [session])).map(({ id }) => id);
  }

  async takeLost(options?: RecoveryOptions): Promise<readonly TurnRecord[]> {
    const { own } = this.#writers;
    const distinct = "SELECT DISTINCT writer FROM turns WHERE writer NOT IN ('', ?)";
    const writers = await this.#database.rows<{ writer: string }>(distinct, [own]);
    if (writers.length === 0) return [];
    const living = await this.#writers.living(options);
    const dead = writers.map(({ writer }) => writer).filter((writer) => !living.has(writer));
    if (dead.length === 0) return [];
    const take = `UPDATE turns SET writer = ? WHERE writer IN (${placeholders(dead)}) RETURNING ${turnColumns}`;
    return (await this.#database.rows<TurnRow>(take, [own, ...dead])).map(toTurn);
  }

  async claimed(): Promise<readonly TurnRecord[]> {
    const sql = `SELECT ${turnColumns} FROM turns WHERE writer <> '' AND writer = ? ORDER BY position`;
    return (await this.#database.rows<TurnRow>(sql, [this.#writers.own])).map(toTurn);
  }

  async waiting(limit: number): Promise<readonly string[]> {
    const sql = "SELECT session FROM turns GROUP BY session HAVING max(writer) = '' ORDER BY min(position) LIMIT ?";
    return (await this.#database.rows<{ session: string }>(sql, [limit])).map(({ session }) => session);
  }

  #lock(session: string) {
    return select(`SELECT 1 FROM sessions WHERE id = ? ${this.#database.dialect.forUpdate}`, [session]);
  }
}

function toScopeConditions({ cwd, owner }: { readonly cwd?: string; readonly owner?: string }): Conditions {
  const conditions = new Conditions();
  conditions.add('cwd = ?', cwd);
  conditions.add('owner = ?', owner);
  return conditions;
}

function toSession({ owner: id, ownerKind: kind, waits, ...rest }: SessionRow): SessionRecord {
  return { ...rest, owner: { id, kind }, turn: waits === null ? 'none' : waits ? 'waiting' : 'running' };
}

function toTurn({ id, session, content, author, authorKind, interrupted }: TurnRow): TurnRecord {
  return { id, session, content, by: { id: author, kind: authorKind }, interrupted: Boolean(interrupted) };
}
