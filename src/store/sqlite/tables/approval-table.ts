import {
  type ApprovalChange,
  type ApprovalQuery,
  type ApprovalRecord,
  type PrincipalCount,
  type StoredRule,
  approvalDigest as digest,
} from '../../../journal/store/approval-store.ts';
import { toApprovalConditions } from '../../conditions.ts';
import type { Statements } from '../statements.ts';

const dialect = {
  isOpen: 'closed = 0',
  isAnswered: 'answer IN (SELECT value FROM json_each(?))',
};

export const approvalSchema = `
CREATE TABLE approvals (
  digest TEXT PRIMARY KEY, id TEXT NOT NULL, binding TEXT NOT NULL, subject TEXT NOT NULL, principal TEXT NOT NULL,
  server TEXT NOT NULL, requested_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, asked TEXT NOT NULL,
  answer TEXT NOT NULL, given TEXT NOT NULL, closed INTEGER NOT NULL, used_by TEXT NOT NULL
) STRICT;
CREATE INDEX approvals_open ON approvals (binding) WHERE closed = 0;
CREATE INDEX approvals_subject ON approvals (subject);
CREATE INDEX approvals_requested ON approvals (requested_at);

CREATE TABLE rules (id TEXT PRIMARY KEY, principal TEXT NOT NULL, server TEXT NOT NULL, text TEXT NOT NULL, revoked INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX rules_principal ON rules (principal) WHERE revoked = 0;
`;

type Row = Omit<ApprovalRecord, 'closed'> & { readonly closed: number };

const columns =
  'id, binding, subject, principal, server, requested_at AS requestedAt, expires_at AS expiresAt, asked, answer, given, closed, used_by AS usedBy';

/** Stores approvals and remembered rules. Changes happen in the transaction that writes their entry. */
export class ApprovalTable {
  readonly #statements: Statements;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  find(id: string): ApprovalRecord | undefined {
    const row = this.#statements.get(`SELECT ${columns} FROM approvals WHERE digest = ?`).get(digest(id));
    return row === undefined ? undefined : plain(row);
  }

  select(query: ApprovalQuery): ApprovalRecord[] {
    const conditions = toApprovalConditions(query, dialect);
    conditions.add(
      '(requested_at, rowid) < (SELECT requested_at, rowid FROM approvals WHERE digest = ?)',
      query.after === undefined ? undefined : digest(query.after),
    );
    const sql = `SELECT ${columns} FROM approvals ${conditions.where} ORDER BY requested_at DESC, rowid DESC LIMIT ?`;
    return this.#statements
      .get(sql)
      .all(...conditions.values, query.limit)
      .map(plain);
  }

  count(query: Omit<ApprovalQuery, 'limit' | 'after'>): PrincipalCount[] {
    const conditions = toApprovalConditions(query, dialect);
    const sql = `SELECT principal, count(*) AS count FROM approvals ${conditions.where} GROUP BY principal ORDER BY principal`;
    const rows = this.#statements.get(sql).all(...conditions.values) as unknown as PrincipalCount[];
    return rows.map((row) => ({ ...row }));
  }

  rules({ principal, server }: { principal?: string; server?: string } = {}): StoredRule[] {
    const rows = this.#statements
      .get(
        'SELECT id, principal, server, text FROM rules WHERE revoked = 0 AND principal = ifnull(?, principal) AND server = ifnull(?, server) ORDER BY id',
      )
      .all(principal ?? null, server ?? null) as unknown as StoredRule[];
    return rows.map((row) => ({ ...row }));
  }

  /** Applies a change. Returns false when it is refused and nothing was changed. */
  apply(change: ApprovalChange, call: string): boolean {
    switch (change.kind) {
      case 'ask':
        return this.#ask(change.record);
      case 'answer': {
        const { answer, given, id, at, rule } = change;
        const changed = this.#statements.change(
          "UPDATE approvals SET answer = ?, given = ? WHERE digest = ? AND answer = '' AND expires_at > ?",
          answer,
          given,
          digest(id),
          at,
        );
        if (changed && rule !== undefined)
          this.#statements.change(
            'INSERT INTO rules VALUES (?, ?, ?, ?, 0)',
            rule.id,
            rule.principal,
            rule.server,
            rule.text,
          );
        return changed;
      }
      case 'use':
        return this.#statements.change(
          "UPDATE approvals SET closed = 1, used_by = ? WHERE digest = ? AND answer = 'approved' AND closed = 0 AND expires_at > ?",
          call,
          digest(change.id),
          change.at,
        );
      case 'close':
        this.#statements.change('UPDATE approvals SET closed = 1 WHERE digest = ?', digest(change.id));
        return true;
      case 'revoke': {
        const changed = this.#statements.change(
          'UPDATE rules SET revoked = 1 WHERE id = ? AND revoked = 0',
          change.rule,
        );
        if (changed)
          this.#statements.change('UPDATE approvals SET closed = 1 WHERE digest = ?', digest(change.approval));
        return changed;
      }
    }
  }

  #ask(record: ApprovalRecord): boolean {
    const { id, binding, subject, principal, server, requestedAt, expiresAt, asked, answer, given } = record;
    if (this.select({ binding, openAt: requestedAt, limit: 1 }).length > 0) return false;
    return this.#statements.change(
      'INSERT INTO approvals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
      digest(id),
      id,
      binding,
      subject,
      principal,
      server,
      requestedAt,
      expiresAt,
      asked,
      answer,
      given,
      record.closed ? 1 : 0,
      record.usedBy,
    );
  }
}

function plain(row: Record<string, unknown>): ApprovalRecord {
  const { closed, ...rest } = row as unknown as Row;
  return { ...rest, closed: closed === 1 };
}
