import {
  type ApprovalChange,
  type ApprovalQuery,
  type ApprovalRecord,
  type PrincipalCount,
  type StoredRule,
  approvalDigest as digest,
} from '../../../journal/store/approval-store.ts';
import { Conditions, toApprovalConditions } from '../../conditions.ts';
import { type Sql, numberPlaceholders } from '../database.ts';

const dialect = {
  isOpen: 'NOT closed',
  isAnswered: 'answer IN (SELECT jsonb_array_elements_text(?::jsonb))',
};

/** An expired approval is marked `outlived` when the next one is asked, so that the unique index alone prevents two open ones. */
export const approvalSchema = `
CREATE TABLE approvals (
  number bigint GENERATED ALWAYS AS IDENTITY, digest text PRIMARY KEY, id text NOT NULL, binding text NOT NULL, subject text NOT NULL,
  principal text NOT NULL, server text NOT NULL, requested_at bigint NOT NULL, expires_at bigint NOT NULL, asked text NOT NULL,
  answer text NOT NULL, given text NOT NULL, closed boolean NOT NULL, used_by text NOT NULL, outlived boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX approvals_open ON approvals (binding) WHERE NOT closed AND NOT outlived;
CREATE INDEX approvals_subject ON approvals (subject);
CREATE INDEX approvals_requested ON approvals (requested_at);

CREATE TABLE rules (id text COLLATE "C" PRIMARY KEY, principal text NOT NULL, server text NOT NULL, text text NOT NULL, revoked boolean NOT NULL);
CREATE INDEX rules_principal ON rules (principal) WHERE NOT revoked;
`;

const columns = `id, binding, subject, principal, server, requested_at AS "requestedAt", expires_at AS "expiresAt", asked, answer,
  given, closed, used_by AS "usedBy"`;

/** Stores approvals and remembered rules. */
export class ApprovalTable {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async find(id: string): Promise<ApprovalRecord | undefined> {
    const sql = `SELECT ${columns} FROM approvals WHERE digest = $1`;
    const [row] = await this.#sql.rows<ApprovalRecord>(sql, [digest(id)]);
    return row;
  }

  select(query: ApprovalQuery): Promise<readonly ApprovalRecord[]> {
    const conditions = toApprovalConditions(query, dialect);
    conditions.add(
      '(requested_at, number) < (SELECT requested_at, number FROM approvals WHERE digest = ?)',
      query.after === undefined ? undefined : digest(query.after),
    );
    const sql = `SELECT ${columns} FROM approvals ${conditions.where} ORDER BY requested_at DESC, number DESC LIMIT ?`;
    return this.#sql.rows(numberPlaceholders(sql), [...conditions.values, query.limit]);
  }

  count(query: Omit<ApprovalQuery, 'limit' | 'after'>): Promise<readonly PrincipalCount[]> {
    const conditions = toApprovalConditions(query, dialect);
    const sql = `SELECT principal, count(*)::int AS count FROM approvals ${conditions.where} GROUP BY principal ORDER BY principal`;
    return this.#sql.rows(numberPlaceholders(sql), conditions.values);
  }

  rules({ principal, server }: { principal?: string; server?: string } = {}): Promise<readonly StoredRule[]> {
    const conditions = new Conditions();
    conditions.addConstant('NOT revoked');
    conditions.add('principal = ?', principal);
    conditions.add('server = ?', server);
    const sql = `SELECT id, principal, server, text FROM rules ${conditions.where} ORDER BY id`;
    return this.#sql.rows(numberPlaceholders(sql), conditions.values);
  }
}

/** Applies a change in the transaction that writes its entry. Returns false when it is refused and nothing was changed. */
export async function changeApproval(sql: Sql, change: ApprovalChange, call: string): Promise<boolean> {
  switch (change.kind) {
    case 'ask':
      return await ask(sql, change.record);
    case 'answer': {
      const { answer, given, id, at, rule } = change;
      const changed = await sql.change(
        "UPDATE approvals SET answer = $1, given = $2 WHERE digest = $3 AND answer = '' AND expires_at > $4",
        [answer, given, digest(id), at],
      );
      if (changed && rule !== undefined)
        await sql.change('INSERT INTO rules VALUES ($1, $2, $3, $4, false)', [
          rule.id,
          rule.principal,
          rule.server,
          rule.text,
        ]);
      return changed;
    }
    case 'use':
      return await sql.change(
        `UPDATE approvals SET closed = true, used_by = $1
         WHERE digest = $2 AND answer = 'approved' AND NOT closed AND expires_at > $3`,
        [call, digest(change.id), change.at],
      );
    case 'close':
      await sql.change('UPDATE approvals SET closed = true WHERE digest = $1', [digest(change.id)]);
      return true;
    case 'revoke': {
      const changed = await sql.change('UPDATE rules SET revoked = true WHERE id = $1 AND NOT revoked', [change.rule]);
      if (changed) await sql.change('UPDATE approvals SET closed = true WHERE digest = $1', [digest(change.approval)]);
      return changed;
    }
  }
}

async function ask(sql: Sql, record: ApprovalRecord): Promise<boolean> {
  const { id, binding, subject, principal, server, requestedAt, expiresAt, asked, answer, given, closed, usedBy } =
    record;
  await sql.change(
    'UPDATE approvals SET outlived = true WHERE binding = $1 AND NOT closed AND NOT outlived AND expires_at <= $2',
    [binding, requestedAt],
  );
  return await sql.change(
    `INSERT INTO approvals (digest, id, binding, subject, principal, server, requested_at, expires_at, asked, answer, given, closed, used_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     ON CONFLICT (binding) WHERE NOT closed AND NOT outlived DO NOTHING`,
    [digest(id), id, binding, subject, principal, server, requestedAt, expiresAt, asked, answer, given, closed, usedBy],
  );
}
