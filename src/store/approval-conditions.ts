import type { ApprovalQuery } from '../journal/store/approval-store.ts';
import { Conditions } from './conditions.ts';

/** The conditions that each database writes in its own way. */
interface ApprovalDialect {
  /** A question that is not closed. */
  readonly isOpen: string;
  /** Its answer is in a JSON list, which is given as `?`. */
  readonly isAnswered: string;
}

/** Returns the conditions by which approvals are selected. */
export function approvalConditions(query: Omit<ApprovalQuery, 'limit'>, dialect: ApprovalDialect): Conditions {
  const conditions = new Conditions();
  conditions.add(`${dialect.isOpen} AND expires_at > ?`, query.openAt);
  conditions.add(dialect.isAnswered, query.answers === undefined ? undefined : JSON.stringify(query.answers));
  for (const column of ['binding', 'subject', 'principal', 'server'] as const)
    conditions.add(`${column} = ?`, query[column]);
  return conditions;
}
