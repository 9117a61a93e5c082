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
import type { Principal } from '../../../core/principal.ts';
import { Conditions } from '../../conditions.ts';
import type { Statements } from '../statements.ts';

/** The memory has its own table, because it is large and the session's row is written with every event. */
export const sessionSchema = `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, agent TEXT NOT NULL, runtime TEXT NOT NULL, model TEXT NOT NULL, title TEXT NOT NULL, cwd TEXT NOT NULL,
  permission_mode TEXT NOT NULL, owner TEXT NOT NULL, owner_kind TEXT NOT NULL, created_at INTEGER NOT NULL,
  active_at INTEGER NOT NULL, forked_from TEXT NOT NULL, last_turn TEXT NOT NULL, last_seq INTEGER NOT NULL, turn_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_active ON sessions (active_at, id);

CREATE TABLE session_memories (session TEXT PRIMARY KEY, memory TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE session_events (
  session TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (session, seq)
) STRICT, WITHOUT ROWID;

-- A turn is stored here until it ends; then its events record it.
CREATE TABLE turns (
  position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, session TEXT NOT NULL, content TEXT NOT NULL, author TEXT NOT NULL,
  author_kind TEXT NOT NULL, writer TEXT NOT NULL, interrupted INTEGER NOT NULL, waits INTEGER NOT NULL
) STRICT;
CREATE INDEX turns_session ON turns (session, position);
CREATE UNIQUE INDEX turns_running ON turns (session) WHERE writer <> '';

CREATE TABLE sent_messages (
  session TEXT NOT NULL, key TEXT NOT NULL, turn TEXT NOT NULL, after_seq INTEGER NOT NULL, position INTEGER NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (session, key)
) STRICT, WITHOUT ROWID;
`;

const columns = `id, agent, runtime, model, title, cwd, permission_mode AS permissionMode, owner, owner_kind AS ownerKind,
  created_at AS createdAt, active_at AS activeAt, forked_from AS forkedFrom, last_turn AS lastTurn, last_seq AS lastSeq,
  turn_seq AS turnSeq, (SELECT count(*) FROM turns WHERE session = sessions.id AND writer = '') AS queued,
  (SELECT waits FROM turns WHERE session = sessions.id AND writer <> '') AS waits`;

const factColumns = {
  agent: 'agent',
  runtime: 'runtime',
  model: 'model',
  title: 'title',
  permissionMode: 'permission_mode',
  lastTurn: 'last_turn',
} as const;

const insertSession = `INSERT INTO sessions VALUES (:id, :agent, :runtime, :model, :title, :cwd, :permissionMode, :owner, :ownerKind,
  :createdAt, :activeAt, :forkedFrom, :lastTurn, :copiesTo,
  ifnull((SELECT min(turn_seq, :copiesTo) FROM sessions WHERE id = :forkedFrom), 0))`;
const copyEvents =
  'INSERT INTO session_events SELECT :id, seq, at, body FROM session_events WHERE session = :from AND seq <= :copiesTo';
const copyMemory = 'INSERT INTO session_memories SELECT :id, memory FROM session_memories WHERE session = :from';
const insertTurn = `INSERT INTO turns (id, session, content, author, author_kind, writer, interrupted, waits)
  VALUES (?, ?, ?, ?, ?, '', 0, 0)`;

const sentBefore =
  'SELECT turn AS turnId, after_seq AS afterSeq, position FROM sent_messages WHERE session = ? AND key = ? AND at > ?';

const touch =
  "UPDATE sessions SET active_at = max(active_at, ?), title = CASE title WHEN '' THEN ? ELSE title END WHERE id = ?";
const trimEvents =
  'DELETE FROM session_events WHERE session = ? AND seq <= (SELECT last_seq FROM sessions WHERE id = ?) - ?';

type SessionRow = Omit<SessionRecord, 'owner' | 'turn'> & {
  readonly owner: string;
  readonly ownerKind: Principal['kind'];
  readonly waits: number | null;
};
type TurnRow = Omit<TurnRecord, 'by' | 'interrupted'> & {
  readonly author: string;
  readonly authorKind: Principal['kind'];
  readonly interrupted: number;
};

const turnColumns = 'id, session, content, author, author_kind AS authorKind, interrupted';
const claimTurn = `UPDATE turns SET writer = ?1 WHERE position = (SELECT min(position) FROM turns WHERE session = ?2)
  AND NOT EXISTS (SELECT 1 FROM turns WHERE session = ?2 AND writer <> '') RETURNING ${turnColumns}`;

/** This process and the live ones. */
interface Writers {
  readonly own: string;
  living(): ReadonlySet<string>;
}

/** Stores sessions, their events and queued turns. */
export class SessionTable implements SessionStore {
  readonly #statements: Statements;
  readonly #transaction: (work: () => void) => void;
  readonly #writers: Writers;

  constructor(statements: Statements, transaction: (work: () => void) => void, writers: Writers) {
    this.#statements = statements;
    this.#transaction = transaction;
    this.#writers = writers;
  }

  async create({ owner, copiesTo = 0, ...draft }: SessionDraft): Promise<void> {
    this.#transaction(() => {
      this.#statements.get(insertSession).run({ ...draft, owner: owner.id, ownerKind: owner.kind, copiesTo });
      if (copiesTo === 0) return;
      const copy = { id: draft.id, from: draft.forkedFrom };
      this.#statements.get(copyEvents).run({ ...copy, copiesTo });
      this.#statements.get(copyMemory).run(copy);
    });
  }

  async find(id: string): Promise<SessionRecord | undefined> {
    const row = this.#statements.get(`SELECT ${columns} FROM sessions WHERE id = ?`).get(id);
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
    return this.#statements
      .get(sql)
      .all(...conditions.values, query.limit)
      .map(sessionOf);
  }

  async count(query: { cwd?: string; owner?: string } = {}): Promise<number> {
    const conditions = toScopeConditions(query);
    const row = this.#statements
      .get(`SELECT count(*) AS count FROM sessions ${conditions.where}`)
      .get(...conditions.values);
    return Number(row?.['count']);
  }

  async delete(id: string): Promise<boolean> {
    let deleted = false;
    this.#transaction(() => {
      deleted = this.#run('DELETE FROM sessions WHERE id = ?', id) > 0;
      for (const table of ['session_events', 'session_memories', 'turns', 'sent_messages'])
        this.#run(`DELETE FROM ${table} WHERE session = ?`, id);
    });
    return deleted;
  }

  async memory(id: string): Promise<string | undefined> {
    const row = this.#statements.get('SELECT memory FROM session_memories WHERE session = ?').get(id);
    return row === undefined ? undefined : String(row['memory']);
  }

  async write(writes: readonly SessionWrite[]): Promise<readonly (number | undefined)[]> {
    let written: (number | undefined)[] = [];
    this.#transaction(() => (written = writes.map((write) => this.#write(write))));
    return written;
  }

  async events(id: string, after: number, limit: number): Promise<readonly StoredSessionEvent[]> {
    const rows = this.#statements
      .get('SELECT seq, at, body FROM session_events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?')
      .all(id, after, limit) as unknown as StoredSessionEvent[];
    return rows.map((row) => ({ ...row }));
  }

  async trim(id: string, keep: number): Promise<void> {
    this.#transaction(() => this.#run(trimEvents, id, id, keep));
  }

  async queue({ id, session, content, by, at, title, most, key }: TurnDraft): Promise<QueuedTurn | undefined> {
    let taken: QueuedTurn | undefined;
    const since = at - sentMessagesMs;
    this.#transaction(() => {
      const row = this.#statements.get(`SELECT ${columns} FROM sessions WHERE id = ?`).get(session);
      if (row === undefined) return;
      const before = key === undefined ? undefined : this.#statements.get(sentBefore).get(session, key, since);
      if (before !== undefined) {
        taken = { ...before } as unknown as QueuedTurn;
        return;
      }
      const { queued, turn, lastSeq } = sessionOf(row);
      if (queued >= most) return;
      this.#run(insertTurn, id, session, content, by.id, by.kind);
      this.#run(touch, at, title, session);
      taken = { turnId: id, afterSeq: lastSeq, position: queued + (turn === 'none' ? 0 : 1) };
      if (key === undefined) return;
      this.#run('DELETE FROM sent_messages WHERE session = ? AND at <= ?', session, since);
      this.#run('INSERT INTO sent_messages VALUES (?, ?, ?, ?, ?, ?)', session, key, id, lastSeq, taken.position, at);
    });
    return taken;
  }

  async claim(session: string): Promise<TurnRecord | undefined> {
    let row: Record<string, unknown> | undefined;
    this.#transaction(() => {
      row = this.#statements.get(claimTurn).get(this.#writers.own, session);
      if (row !== undefined) this.#run('UPDATE sessions SET turn_seq = last_seq + 1 WHERE id = ?', session);
    });
    return row === undefined ? undefined : turnOf(row);
  }

  async interrupt(session: string): Promise<readonly string[]> {
    const rows = this.#statements.get('UPDATE turns SET interrupted = 1 WHERE session = ? RETURNING id').all(session);
    return rows.map(({ id }) => String(id));
  }

  async takeLost(): Promise<readonly TurnRecord[]> {
    const { own } = this.#writers;
    const writers = this.#statements.get("SELECT DISTINCT writer FROM turns WHERE writer NOT IN ('', ?)").all(own);
    if (writers.length === 0) return [];
    const living = this.#writers.living();
    const dead = writers.map(({ writer }) => String(writer)).filter((writer) => !living.has(writer));
    const take = this.#statements.get(`UPDATE turns SET writer = ? WHERE writer = ? RETURNING ${turnColumns}`);
    return dead.flatMap((writer) => take.all(own, writer).map(turnOf));
  }

  async claimed(): Promise<readonly TurnRecord[]> {
    const sql = `SELECT ${turnColumns} FROM turns WHERE writer = ? ORDER BY position`;
    return this.#statements.get(sql).all(this.#writers.own).map(turnOf);
  }

  async waiting(most: number): Promise<readonly string[]> {
    return this.#statements
      .get("SELECT session FROM turns GROUP BY session HAVING max(writer) = '' ORDER BY min(position) LIMIT ?")
      .all(most)
      .map((row) => String(row['session']));
  }

  #write({
    session,
    at,
    idle,
    events,
    set = {},
    memory,
    begins = false,
    waits,
    ends,
  }: SessionWrite): number | undefined {
    const row = this.#statements
      .get(
        `UPDATE sessions SET last_seq = last_seq + ?1, active_at = max(active_at, ?2),
         turn_seq = CASE WHEN ?3 THEN last_seq + 1 ELSE turn_seq END WHERE id = ?4 RETURNING last_seq`,
      )
      .get(events.length, idle === true ? 0 : at, begins ? 1 : 0, session);
    if (row === undefined) return undefined;
    const last = Number(row['last_seq']);
    events.forEach((body, index) => {
      this.#run('INSERT INTO session_events VALUES (?, ?, ?, ?)', session, last - events.length + 1 + index, at, body);
    });
    for (const [name, column] of Object.entries(factColumns)) {
      const value = set[name as keyof typeof factColumns];
      if (value !== undefined) this.#run(`UPDATE sessions SET ${column} = ? WHERE id = ?`, value, session);
    }
    if (memory !== undefined) this.#run('INSERT OR REPLACE INTO session_memories VALUES (?, ?)', session, memory);
    if (waits !== undefined)
      this.#run("UPDATE turns SET waits = ? WHERE session = ? AND writer <> ''", waits ? 1 : 0, session);
    if (ends !== undefined) this.#run('DELETE FROM turns WHERE session = ? AND id = ?', session, ends);
    return last;
  }

  #run(sql: string, ...values: (string | number)[]): number {
    return Number(this.#statements.get(sql).run(...values).changes);
  }
}

function toScopeConditions({ cwd, owner }: { readonly cwd?: string; readonly owner?: string }): Conditions {
  const conditions = new Conditions();
  conditions.add('cwd = ?', cwd);
  conditions.add('owner = ?', owner);
  return conditions;
}

function sessionOf(row: Record<string, unknown>): SessionRecord {
  const { owner: id, ownerKind: kind, waits, ...rest } = row as unknown as SessionRow;
  return { ...rest, owner: { id, kind }, turn: waits === null ? 'none' : waits === 1 ? 'waiting' : 'running' };
}

function turnOf(row: Record<string, unknown>): TurnRecord {
  const { id, session, content, author, authorKind, interrupted } = row as unknown as TurnRow;
  return { id, session, content, by: { id: author, kind: authorKind }, interrupted: interrupted === 1 };
}
