import type { ApprovalQuery } from '../journal/store/approval-store.ts';

/** Builds the WHERE clause of a query, with its values. */
export class Conditions {
  readonly values: (string | number)[] = [];
  readonly #conditions: string[] = [];

  get isEmpty(): boolean {
    return this.#conditions.length === 0;
  }

  /** Adds a condition with one `?`. Does nothing when the value is `undefined`. */
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

/** Returns a LIKE pattern that matches any text containing this one. */
export function toLikePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** The conditions that differ between the SQL dialects. */
interface ApprovalDialect {
  /** Selects approvals that are not closed. */
  readonly isOpen: string;
  /** Selects approvals whose answer is in the JSON list passed as `?`. */
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
