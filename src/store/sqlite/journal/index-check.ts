import { setImmediate as breath } from 'node:timers/promises';
import type { IndexFault } from '../../../journal/store/store.ts';
import { bodyFacts } from '../schema.ts';
import type { SqliteDatabase } from '../sqlite-database.ts';

const pageSize = 2000;

/** Queries that find the first entry in a range whose index row differs from the journal. */
const checks: readonly string[] = [
  `SELECT journal.seq FROM journal LEFT JOIN entries ON entries.seq = journal.seq WHERE journal.seq > ? AND journal.seq <= ? AND (
     entries.seq IS NULL OR entries.at <> journal.at OR entries.type <> journal.type OR entries.call <> journal.call
     OR entries.session <> journal.session OR entries.tool <> journal.tool OR entries.outcome <> journal.outcome
     OR (entries.server, entries.decision, entries.principal, entries.ms) IS NOT (${bodyFacts})) LIMIT 1`,
  `SELECT seq FROM entries WHERE seq > ? AND seq <= ? AND NOT EXISTS (SELECT 1 FROM journal WHERE journal.seq = entries.seq) LIMIT 1`,
  `SELECT seq FROM entries WHERE seq > ? AND seq <= ? AND latest <> (type = 'ToolInvoked' OR (type = 'CallStarted' AND NOT EXISTS (
     SELECT 1 FROM entries AS ended WHERE ended.call = entries.call AND ended.call <> '' AND ended.type = 'ToolInvoked'))) LIMIT 1`,
  `SELECT seq FROM entries WHERE seq > ? AND seq <= ? AND type = 'ToolInvoked' AND NOT EXISTS (
     SELECT 1 FROM samples JOIN kinds ON kinds.id = samples.kind WHERE samples.at = entries.at AND samples.seq = entries.seq
     AND samples.ms IS entries.ms AND kinds.server = entries.server AND kinds.outcome = entries.outcome
     AND kinds.tool = iif(entries.server = '', '', entries.tool)) LIMIT 1`,
];
const strays = `SELECT samples.seq FROM samples LEFT JOIN entries ON entries.seq = samples.seq AND entries.at = samples.at
  AND entries.type = 'ToolInvoked' WHERE entries.seq IS NULL AND samples.seq <= ? LIMIT 1`;

/** Compares the index with the journal, page by page. Returns the first difference. */
export async function checkIndex(
  database: SqliteDatabase,
  from: number,
  to: number,
  signal: AbortSignal | undefined,
): Promise<IndexFault | undefined> {
  for (const check of checks)
    for (let after = from; after < to; after += pageSize) {
      signal?.throwIfAborted();
      const found = database.prepare(check).get(after, Math.min(after + pageSize, to));
      if (found !== undefined) return { seq: Number(found['seq']) };
      await breath();
    }
  // Rows before the first entry, which no page reaches.
  const early = database.prepare('SELECT seq FROM entries WHERE seq <= ? LIMIT 1').get(from);
  const stray = early ?? database.prepare(strays).get(to);
  return stray === undefined ? undefined : { seq: Number(stray['seq']) };
}
