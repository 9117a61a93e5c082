import {
  type ApprovalChange,
  type ApprovalQuery,
  type ApprovalRecord,
  type PrincipalCount,
  type StoredRule,
  approvalDigest as digest,
} from '../../journal/store/approval-store.ts';
import { Conditions, placeholders } from '../conditions.ts';
import { type Dialect, type Operation, type TableDatabase, change, execute } from './table-database.ts';

/**
 * In PostgreSQL, an expired approval is marked `outlived` when the next one is asked, so that the unique index alone prevents
 * two open ones. In SQLite, which has one writer, a condition of the insert does that.
 */
export function approvalSchema({ name, integer, boolean, orderedText, rowTable, keyTable, isFalse }: Dialect): string {
  const isPostgres = name === 'postgres';
  const open = isPostgres ? 'UNIQUE INDEX' : 'INDEX';
  return `
CREATE TABLE approvals (
  ${isPostgres ? 'number bigint GENERATED ALWAYS AS IDENTITY,' : ''}
  digest text PRIMARY KEY, id text NOT NULL, binding text NOT NULL, subject text NOT NULL, principal text NOT NULL,
  server text NOT NULL, requested_at ${integer} NOT NULL, expires_at ${integer} NOT NULL, asked text NOT NULL,
  answer text NOT NULL, given text NOT NULL, closed ${boolean} NOT NULL, used_by text NOT NULL
  ${isPostgres ? ', outlived boolean NOT NULL DEFAULT false' : ''}
) ${rowTable};
CREATE ${open} approvals_open ON approvals (binding) WHERE ${isFalse('closed')} ${isPostgres ? 'AND NOT outlived' : ''};
CREATE INDEX approvals_subject ON approvals (subject);
CREATE INDEX approvals_requested ON approvals (requested_at);

CREATE TABLE rules (
  id ${orderedText} PRIMARY KEY, principal text NOT NULL, server text NOT NULL, text text NOT NULL, revoked ${boolean} NOT NULL
) ${keyTable};
CREATE INDEX rules_principal ON rules (principal) WHERE ${isFalse('revoked')};
`;
}

type Row = Omit<ApprovalRecord, 'closed'> & { readonly closed: boolean | number };

const columns = `id, binding, subject, principal, server, requested_at AS "requestedAt", expires_at AS "expiresAt", asked, answer,
  given, closed, used_by AS "usedBy"`;

/** Stores approvals and remembered rules. They change only together with an entry, see `changeApproval`. */
export class ApprovalTable {
  readonly #database: TableDatabase;

  constructor(database: TableDatabase) {
    this.#database = database;
  }

  async find(id: string): Promise<ApprovalRecord | undefined> {
    const [row] = await this.#database.rows<Row>(`SELECT ${columns} FROM approvals WHERE digest = ?`, [digest(id)]);
    return row && toRecord(row);
  }

  async select(query: ApprovalQuery): Promise<ApprovalRecord[]> {
    const number = this.#database.dialect.name === 'postgres' ? 'number' : 'rowid';
    const conditions = this.#conditions(query);
    conditions.add(
      `(requested_at, ${number}) < (SELECT requested_at, ${number} FROM approvals WHERE digest = ?)`,
      query.after === undefined ? undefined : digest(query.after),
    );
    const sql = `SELECT ${columns} FROM approvals ${conditions.where} ORDER BY requested_at DESC, ${number} DESC LIMIT ?`;
    return (await this.#database.rows<Row>(sql, [...conditions.values, query.limit])).map(toRecord);
  }

  count(query: Omit<ApprovalQuery, 'limit' | 'after'>): Promise<PrincipalCount[]> {
    const { where, values } = this.#conditions(query);
    const sql = `SELECT principal, count(*) AS count FROM approvals ${where} GROUP BY principal ORDER BY principal`;
    return this.#database.rows(sql, values);
  }

  rules({ principal, server }: { principal?: string; server?: string } = {}): Promise<StoredRule[]> {
    const conditions = new Conditions();
    conditions.add(this.#database.dialect.isFalse('revoked'));
    conditions.add('principal = ?', principal);
    conditions.add('server = ?', server);
    const sql = `SELECT id, principal, server, text FROM rules ${conditions.where} ORDER BY id`;
    return this.#database.rows(sql, conditions.values);
  }

  #conditions({ openAt, answers, ...query }: Omit<ApprovalQuery, 'limit'>): Conditions {
    const conditions = new Conditions();
    conditions.add(`${this.#database.dialect.isFalse('closed')} AND expires_at > ?`, openAt);
    if (answers !== undefined) conditions.add(`answer IN (${placeholders(answers)})`, ...answers);
    for (const column of ['binding', 'subject', 'principal', 'server'] as const)
      conditions.add(`${column} = ?`, query[column]);
    return conditions;
  }
}

const close = 'UPDATE approvals SET closed = true WHERE digest = ?';

/** Applies a change in the transaction that writes its entry. Returns false when it is refused and nothing was changed. */
export function* changeApproval(request: ApprovalChange, call: string, dialect: Dialect): Operation<boolean> {
  switch (request.kind) {
    case 'ask':
      return yield* ask(request.record, dialect);
    case 'answer': {
      const { answer, given, id, at, rule } = request;
      const sql = "UPDATE approvals SET answer = ?, given = ? WHERE digest = ? AND answer = '' AND expires_at > ?";
      const [changed] = yield* execute(change(sql, [answer, given, digest(id), at]));
      if (changed && rule !== undefined) {
        const insert = 'INSERT INTO rules VALUES (?, ?, ?, ?, false)';
        yield* execute(change(insert, [rule.id, rule.principal, rule.server, rule.text]));
      }
      return changed;
    }
    case 'use': {
      const sql = `UPDATE approvals SET closed = true, used_by = ?
        WHERE digest = ? AND answer = 'approved' AND ${dialect.isFalse('closed')} AND expires_at > ?`;
      const [changed] = yield* execute(change(sql, [call, digest(request.id), request.at]));
      return changed;
    }
    case 'close':
      yield* execute(change(close, [digest(request.id)]));
      return true;
    case 'revoke': {
      const sql = `UPDATE rules SET revoked = true WHERE id = ? AND ${dialect.isFalse('revoked')}`;
      const [changed] = yield* execute(change(sql, [request.rule]));
      if (changed) yield* execute(change(close, [digest(request.approval)]));
      return changed;
    }
  }
}

function* ask(record: ApprovalRecord, dialect: Dialect): Operation<boolean> {
  const { id, binding, subject, principal, server, requestedAt, expiresAt, asked, answer, given, closed, usedBy } =
    record;
  const values = [digest(id), id, binding, subject, principal, server, requestedAt, expiresAt, asked, answer, given];
  const insert = `INSERT INTO approvals
    (digest, id, binding, subject, principal, server, requested_at, expires_at, asked, answer, given, closed, used_by)`;
  if (dialect.name === 'sqlite') {
    const sql = `${insert} SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?
      WHERE NOT EXISTS (SELECT 1 FROM approvals WHERE binding = ?3 AND closed = 0 AND expires_at > ?7)`;
    const [inserted] = yield* execute(change(sql, [...values, closed, usedBy]));
    return inserted;
  }
  const [, inserted] = yield* execute(
    change(
      'UPDATE approvals SET outlived = true WHERE binding = ? AND NOT closed AND NOT outlived AND expires_at <= ?',
      [binding, requestedAt],
    ),
    change(
      `${insert} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (binding) WHERE NOT closed AND NOT outlived DO NOTHING`,
      [...values, closed, usedBy],
    ),
  );
  return inserted;
}

/** SQLite stores booleans as numbers. */
function toRecord(row: Row): ApprovalRecord {
  return { ...row, closed: Boolean(row.closed) };
}
