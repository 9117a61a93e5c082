import type { ApprovalQuery } from '../journal/store/approval-store.ts';

/** The conditions of a query that apply, and their values. */
export class Conditions {
  readonly values: (string | number)[] = [];
  readonly #conditions: string[] = [];

  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  /** Adds a condition with one `?`; none when there is no value to compare with. */
  add(condition: string, value: string | number | undefined): void {
    if (value === undefined) return;
    this.#conditions.push(condition);
    this.values.push(value);
  }

  /** Adds a condition without a value. */
  addConstant(condition: string): void {
    this.#conditions.push(condition);
  }

  get where(): string {
    return this.isEmpty ? '' : `WHERE ${this.#conditions.join(' AND ')}`;
  }
}

/** A pattern for LIKE that fits whatever has this text in it. */
export function toLikePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** The conditions that each database writes in its own way. */
interface ApprovalDialect {
  /** A question that is not closed. */
  readonly isOpen: string;
  /** Its answer is in a JSON list, which is given as `?`. */
  readonly isAnswered: string;
}

/** Returns the conditions by which approvals are selected. */
export function toApprovalConditions(query: Omit<ApprovalQuery, 'limit'>, dialect: ApprovalDialect): Conditions {
  const conditions = new Conditions();
  conditions.add(`${dialect.isOpen} AND expires_at > ?`, query.openAt);
  conditions.add(dialect.isAnswered, query.answers === undefined ? undefined : JSON.stringify(query.answers));
  for (const column of ['binding', 'subject', 'principal', 'server'] as const)
    conditions.add(`${column} = ?`, query[column]);
  return conditions;
}
