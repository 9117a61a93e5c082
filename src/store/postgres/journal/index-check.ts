import type { IndexFault } from '../../../journal/store/store.ts';
import type { PostgresDatabase } from '../postgres-database.ts';
import { type EntryFacts, toEntryFacts } from './entry-facts.ts';

const pageSize = 1000;

// Exactly the intents without an outcome must be open. One statement sees both tables at one moment.
const openCalls = `SELECT seq FROM journal WHERE type = 'CallStarted' AND seq <> ALL (SELECT seq FROM open_calls)
    AND NOT EXISTS (SELECT 1 FROM journal AS ended WHERE ended.call = journal.call AND ended.type = 'ToolInvoked')
  UNION ALL
  SELECT seq FROM open_calls WHERE NOT EXISTS (
    SELECT 1 FROM journal WHERE journal.seq = open_calls.seq AND journal.call = open_calls.call AND journal.type = 'CallStarted')
  LIMIT 1`;

/** Compares the indexed columns with the bodies of the entries, page by page. Returns the first difference. */
export async function checkIndex(database: PostgresDatabase, signal?: AbortSignal): Promise<IndexFault | undefined> {
  for (let after = 0; ;) {
    signal?.throwIfAborted();
    const rows = await database.rows<EntryFacts & { seq: number; body: string }>(
      'SELECT seq, body, server, decision, principal, ms FROM journal WHERE seq > $1 ORDER BY seq LIMIT $2',
      [after, pageSize],
    );
    for (const row of rows) {
      const { server, decision, principal, ms } = toEntryFacts(row.body);
      if (server !== row.server || decision !== row.decision || principal !== row.principal || ms !== row.ms)
        return { seq: row.seq };
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.seq;
  }
  const [open] = await database.rows<{ seq: number }>(openCalls);
  return open === undefined ? undefined : { seq: open.seq };
}
