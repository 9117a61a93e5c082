import type { EntryQuery } from '../../journal/store.ts';

/** A query as SQL with its values. */
export interface SqlQuery {
  readonly sql: string;
  readonly values: readonly (string | number)[];
  /** Whether it needs the index to be up to date. */
  readonly indexed: boolean;
}

const columns = ['at', 'type', 'call', 'session', 'tool', 'outcome', 'writer', 'body', 'hash']
  .map((name) => `journal.${name}`)
  .join(', ');

/** Turns a query into SQL over the journal alone, or over its index where a condition needs one. */
export function entryQuery(query: EntryQuery): SqlQuery {
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  const add = (condition: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    conditions.push(condition);
    values.push(value);
  };
  add('entries.session = ?', query.session);
  add('entries.tool = ?', query.tool);
  add('entries.outcome = ?', query.outcome);
  add('entries.type = ?', query.type);
  add('entries.call = ?', query.call);
  add('entries.at >= ?', query.since);
  add('entries.at < ?', query.until);
  if (query.calls === true) conditions.push('entries.latest = 1');
  const indexed = conditions.length > 0;
  // The partial indexes leave out empty values: without this the planner would not use them.
  for (const column of ['session', 'tool', 'outcome', 'call'] as const) {
    if (query[column] !== undefined) conditions.push(`entries.${column} <> ''`);
  }
  const seq = indexed ? 'entries.seq' : 'journal.seq';
  add(`${seq} > ?`, query.after);
  add(`${seq} < ?`, query.before);
  values.push(query.limit);
  const from = indexed ? 'entries CROSS JOIN journal ON journal.seq = entries.seq' : 'journal';
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const order = query.order === 'oldest-first' ? 'ASC' : 'DESC';
  return {
    sql: `SELECT ${seq} AS seq, ${columns} FROM ${from} ${where} ORDER BY ${seq} ${order} LIMIT ?`,
    values,
    indexed,
  };
}
