import type { EntryQuery } from '../../../journal/store/store.ts';
import { Conditions } from '../../conditions.ts';

export const entryColumns = 'seq, at, type, call, session, tool, outcome, writer, body, hash';

/** Converts a query to SQL. Conditions on the body are only a prefilter; `matchesBody` decides. */
export function entryQuery(query: EntryQuery): { readonly sql: string; readonly values: readonly (string | number)[] } {
  const conditions = new Conditions();
  for (const column of ['session', 'tool', 'outcome', 'server', 'call'] as const) {
    if (query[column] === undefined) continue;
    conditions.add(`${column} = ?`, query[column]);
    // The partial indexes leave out empty values: without this the planner would not use them.
    conditions.add(`${column} <> ''`);
  }
  conditions.add('decision = ?', query.decision);
  conditions.add('type = ?', query.type);
  conditions.add('at >= ?', query.since);
  conditions.add('at < ?', query.until);
  conditions.add("starts_with(principal || '/', ?::text || '/')", query.principal);
  if (query.calls === true)
    conditions.add(
      "(type = 'ToolInvoked' OR (type = 'CallStarted' AND EXISTS (SELECT 1 FROM open_calls WHERE open_calls.seq = journal.seq)))",
    );
  if (query.text !== undefined) {
    const escaped = JSON.stringify(query.text).slice(1, -1);
    conditions.add('(tool ILIKE ? OR body ILIKE ?)', toLikePattern(query.text), toLikePattern(escaped));
  }
  if (query.shadowed === true) conditions.add('strpos(body, ?) > 0', '"shadow":[');
  conditions.add('seq > ?', query.after);
  conditions.add('seq < ?', query.before);
  const order = query.order === 'oldest-first' ? 'ASC' : 'DESC';
  const sql = `SELECT ${entryColumns} FROM journal ${conditions.where} ORDER BY seq ${order} LIMIT ?`;
  const values = [...conditions.values, query.limit];
  if (query.bytes === undefined) return { sql, values };
  // The size of a body is known without reading it.
  const sized = `SELECT *, sum(octet_length(body)) OVER (ORDER BY seq ${order}) - octet_length(body) AS before FROM (${sql}) AS found`;
  return {
    sql: `SELECT ${entryColumns} FROM (${sized}) AS sized WHERE before < ? ORDER BY seq ${order}`,
    values: [...values, query.bytes],
  };
}

/** Returns a LIKE pattern that matches any text containing this one. */
function toLikePattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
