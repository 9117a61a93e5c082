import type { EntryQuery } from '../../../journal/store/store.ts';
import { Conditions } from '../../conditions.ts';
import { type SeqRange, maxRangeEntries } from '../../search-entries.ts';
import type { SqliteDatabase } from '../sqlite-database.ts';

/** A query as SQL, with its values. */
export interface SqlQuery {
  readonly sql: string;
  readonly values: readonly (string | number)[];
  /** Whether the query reads the index, which must be up to date. */
  readonly indexed: boolean;
}

const columns = ['at', 'type', 'call', 'session', 'tool', 'outcome', 'writer', 'body', 'hash']
  .map((name) => `journal.${name}`)
  .join(', ');

// Checks the whole body first, because that is cheap and most bodies do not contain the text. LIKE takes minutes for some texts.
const mentions = `(${has('journal.tool')} OR (${has('journal.body')} AND json_valid(journal.body) AND (
  ${has("journal.body -> '$.arguments'")} OR ${['output', 'error.message', 'decision.reason', 'decision.rule']
    .map((path) => has(`journal.body ->> '$.${path}'`))
    .join(' OR ')})))`;

// Compares with the decision of the rules, before a permission mode or a remembered approval changed it.
const shadowed = `(instr(journal.body, '"shadow":[') AND json_valid(journal.body) AND EXISTS (
  SELECT 1 FROM json_each(journal.body, '$.decision.shadow') WHERE value ->> '$.answer' <>
  ifnull(journal.body ->> '$.decision.ruled.answer', journal.body ->> '$.decision.answer')))`;

/** Converts a query to SQL over the journal alone, or over its index when a condition needs it. */
export function entryQuery(query: EntryQuery): SqlQuery {
  const conditions = new Conditions();
  conditions.add('entries.session = ?', query.session);
  conditions.add('entries.tool = ?', query.tool);
  conditions.add('entries.outcome = ?', query.outcome);
  conditions.add('entries.server = ?', query.server);
  conditions.add('entries.decision = ?', query.decision);
  conditions.add('entries.type = ?', query.type);
  conditions.add('entries.call = ?', query.call);
  conditions.add('entries.at >= ?', query.since);
  conditions.add('entries.at < ?', query.until);
  conditions.add("instr(entries.principal || '/', ? || '/') = 1", query.principal);
  if (query.calls === true) conditions.add('entries.latest = 1');
  const indexed = !conditions.isEmpty;
  // The partial indexes leave out empty values: without this the planner would not use them.
  for (const column of ['session', 'tool', 'outcome', 'server', 'call'] as const) {
    if (query[column] !== undefined) conditions.add(`entries.${column} <> ''`);
  }
  if (query.text !== undefined) {
    const [plain, escaped] = [lower(query.text), lower(JSON.stringify(query.text).slice(1, -1))];
    conditions.add(mentions, plain, escaped, escaped, plain, plain, plain, plain);
  }
  if (query.shadowed === true) conditions.add(shadowed);
  const seq = indexed ? 'entries.seq' : 'journal.seq';
  // Open calls are few and have an index. The plus makes the planner use that index instead of scanning all entries in order.
  const place = query.type === 'CallStarted' && query.calls === true ? `+${seq}` : seq;
  conditions.add(`${place} > ?`, query.after);
  conditions.add(`${place} < ?`, query.before);
  const from = indexed ? 'entries CROSS JOIN journal ON journal.seq = entries.seq' : 'journal';
  const order = query.order === 'oldest-first' ? 'ASC' : 'DESC';
  return {
    sql: `SELECT ${seq} AS seq, ${columns} FROM ${from} ${conditions.where} ORDER BY ${place} ${order} LIMIT ?`,
    values: [...conditions.values, query.limit],
    indexed,
  };
}

function has(text: string): string {
  return `instr(lower(${text}), ?)`;
}

/** Converts to lower case as SQLite does: ASCII letters only. */
function lower(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Reading this much takes some milliseconds. The size of a single entry is limited when it is recorded. */
const maxRangeBytes = 2 * 1024 * 1024;

/**
 * Returns the next range of a search: at least one entry, however large. Limits how much one step reads, because reading blocks
 * the event loop.
 */
export function nextRange(database: SqliteDatabase, [first, last]: SeqRange, isForward: boolean): SeqRange {
  const sizes = database.prepare(
    `SELECT seq, octet_length(body) AS size FROM journal WHERE seq >= ? AND seq <= ?
     ORDER BY seq ${isForward ? 'ASC' : 'DESC'} LIMIT ?`,
  );
  let end: number | undefined;
  let bytes = 0;
  const rows = sizes.iterate(first, last, maxRangeEntries) as Iterable<unknown>;
  for (const { seq, size } of rows as Iterable<{ seq: number; size: number }>) {
    bytes += size;
    if (end !== undefined && bytes > maxRangeBytes) break;
    end = seq;
  }
  if (end === undefined) return [first, last];
  return isForward ? [first, end] : [end, last];
}
