import type { CallKind, CallSamples, SampleQuery } from '../../../journal/store/call-samples.ts';
import { Conditions } from '../../conditions.ts';
import type { SqliteDatabase } from '../sqlite-database.ts';

/** Copies the ended calls in a range of indexed entries to the samples. */
export const indexSamples: readonly string[] = [
  `INSERT OR IGNORE INTO kinds (server, tool, outcome)
   SELECT server, iif(server = '', '', tool), outcome FROM entries WHERE seq > ? AND seq <= ? AND type = 'ToolInvoked'`,
  `INSERT INTO samples
   SELECT at, seq, kinds.id, ms FROM entries JOIN kinds ON kinds.server = entries.server
   AND kinds.tool = iif(entries.server = '', '', entries.tool) AND kinds.outcome = entries.outcome
   WHERE seq > ? AND seq <= ? AND type = 'ToolInvoked'`,
];

/** Reads a page of samples. Columns are read as JSON, because one row per call would take twice as long. */
export function readSamples(database: SqliteDatabase, query: SampleQuery): CallSamples {
  const kinds = database.prepare('SELECT id, server, tool, outcome FROM kinds').all() as unknown as KindRow[];
  const conditions = new Conditions();
  conditions.add('at >= ?', query.after?.at ?? query.since);
  conditions.add('at < ?', query.until);
  conditions.add('kind IN (SELECT id FROM kinds WHERE tool = ?)', query.tool);
  conditions.add('kind IN (SELECT id FROM kinds WHERE server = ?)', query.server);
  conditions.add('(at, seq) > (?, ?)', query.after?.at, query.after?.seq);
  const { kind, at, ms, seq } = database
    .prepare(
      `SELECT json_group_array(kind) AS kind, json_group_array(at) AS at, json_group_array(ms) AS ms, json_group_array(seq) AS seq
       FROM (SELECT at, seq, kind, ms FROM samples ${conditions.where} ORDER BY at, seq LIMIT ?)`,
    )
    .get(...conditions.values, query.limit) as unknown as Columns;
  const times = JSON.parse(at) as number[];
  const last = times.at(-1);
  return {
    kinds: new Map(kinds.map(({ id, server, tool, outcome }) => [id, { server, tool, outcome }])),
    kind: JSON.parse(kind) as number[],
    at: times,
    durationMs: JSON.parse(ms) as (number | null)[],
    ...(last === undefined || times.length < query.limit
      ? {}
      : { next: { at: last, seq: (JSON.parse(seq) as number[]).at(-1) ?? 0 } }),
  };
}

interface KindRow extends CallKind {
  readonly id: number;
}

/** The columns of a page, each as JSON text. */
interface Columns {
  readonly kind: string;
  readonly at: string;
  readonly ms: string;
  readonly seq: string;
}
