import type { EntryQuery } from '../../journal/store.ts';
import { Conditions } from './conditions.ts';

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
  const conditions = new Conditions();
  conditions.add('entries.session = ?', query.session);
  conditions.add('entries.tool = ?', query.tool);
  conditions.add('entries.outcome = ?', query.outcome);
  conditions.add('entries.type = ?', query.type);
  conditions.add('entries.call = ?', query.call);
  conditions.add('entries.at >= ?', query.since);
  conditions.add('entries.at < ?', query.until);
  if (query.calls === true) conditions.always('entries.latest = 1');
  const indexed = !conditions.isEmpty;
  // The partial indexes leave out empty values: without this the planner would not use them.
  for (const column of ['session', 'tool', 'outcome', 'call'] as const) {
    if (query[column] !== undefined) conditions.always(`entries.${column} <> ''`);
  }
  // Not indexed: only agents are shown their own calls alone, and what is theirs is mostly near the end.
  conditions.add("instr(json_extract(journal.body, '$.principal.id') || '/', ? || '/') = 1", query.principal);
  const seq = indexed ? 'entries.seq' : 'journal.seq';
  conditions.add(`${seq} > ?`, query.after);
  conditions.add(`${seq} < ?`, query.before);
  const from = indexed ? 'entries CROSS JOIN journal ON journal.seq = entries.seq' : 'journal';
  const order = query.order === 'oldest-first' ? 'ASC' : 'DESC';
  return {
    sql: `SELECT ${seq} AS seq, ${columns} FROM ${from} ${conditions.where} ORDER BY ${seq} ${order} LIMIT ?`,
    values: [...conditions.values, query.limit],
    indexed,
  };
}
