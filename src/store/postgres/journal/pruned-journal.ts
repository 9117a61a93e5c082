import type { Sealer } from '../../../journal/integrity/seal.ts';
import {
  type Beginning,
  type DropRequest,
  type DropResult,
  concurrentPruneError,
  unprunedJournal,
} from '../../../journal/store/drop-request.ts';
import { sealBeginning, selectBeginning } from '../../tables/seal-operations.ts';
import { type Operation, execute, select } from '../../tables/table-database.ts';
import type { PostgresDatabase } from '../postgres-database.ts';

const batch = 5000;

// Of two concurrent drops, the second finds no row to change or conflicts with the row of the first.
const dropEntries = `WITH last AS (SELECT seq, hash, at FROM journal WHERE seq = $2),
  moved AS (
    INSERT INTO beginning SELECT 1, seq, hash, at FROM last
    ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, at = excluded.at WHERE beginning.seq = $1
    RETURNING seq),
  gone AS (DELETE FROM journal WHERE seq <= $2 AND EXISTS (SELECT 1 FROM moved) RETURNING call, type),
  unrecorded AS (
    DELETE FROM recordings WHERE call IN (SELECT call FROM gone WHERE type = 'ToolInvoked') RETURNING 1)
  SELECT (SELECT count(*) FROM moved) AS moved, (SELECT count(*) FROM unrecorded) AS recordings`;
const dropApprovals = `DELETE FROM approvals WHERE digest IN (
  SELECT digest FROM approvals WHERE requested_at < $1 AND (used_by <> '' OR (answer = 'denied' AND closed) OR expires_at < $2)
  LIMIT ${batch}) RETURNING 1`;
const dropResults = `WITH gone AS (
    DELETE FROM results WHERE id IN (SELECT id FROM results WHERE at < $1 LIMIT ${batch}) RETURNING id),
  pages AS (DELETE FROM result_pages WHERE id IN (SELECT id FROM gone))
  SELECT 1 FROM gone`;
// A claim gets its outcome together with an entry, so a claim without an entry belongs to a dropped one. One page at a time,
// because a search for all of them in a large journal would exceed the statement timeout.
const dropClaims = `WITH page AS (SELECT key, call, outcome FROM claims WHERE key > $1 ORDER BY key LIMIT ${batch}),
  gone AS (
    DELETE FROM claims USING page WHERE claims.key = page.key AND page.outcome IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM journal WHERE journal.call = page.call AND journal.call <> '') RETURNING 1)
  SELECT (SELECT max(key) FROM page) AS next, (SELECT count(*) FROM gone) AS gone`;

/** Drops old entries from the front of the journal, in batches. The journal is consistent after each batch. */
export class PrunedJournal {
  readonly #database: PostgresDatabase;
  readonly #sealer: Sealer | undefined;

  constructor(database: PostgresDatabase, sealer: Sealer | undefined) {
    this.#database = database;
    this.#sealer = sealer;
  }

  async drop({ from, to, before, onProgress, signal }: DropRequest): Promise<DropResult> {
    // First, because an approval without an entry would count as forged.
    const approvals = await this.#repeat(dropApprovals, [before, Date.now()]);
    let recordings = 0;
    for (let seq = from.seq; seq < to.seq;) {
      const last = Math.min(seq + batch, to.seq);
      const dropped = await this.#database.run(() => this.#dropEntries(seq, last));
      if (dropped === undefined) throw concurrentPruneError();
      recordings += dropped.recordings;
      seq = last;
      onProgress?.(seq - from.seq);
      signal?.throwIfAborted();
    }
    return {
      entries: to.seq - from.seq,
      approvals,
      results: await this.#repeat(dropResults, [before]),
      recordings,
      claims: await this.#dropClaims(),
    };
  }

  /** Drops a batch and seals the new beginning. Returns `undefined` when another process has moved the beginning. */
  *#dropEntries(from: number, to: number): Operation<{ readonly recordings: number } | undefined> {
    const beginning = select<Beginning>(selectBeginning);
    const [[before = unprunedJournal], [dropped], [after = unprunedJournal]] = yield* execute(
      beginning,
      select<{ moved: number; recordings: number }>(dropEntries, [from, to]),
      beginning,
    );
    if (dropped?.moved !== 1) return undefined;
    if (this.#sealer !== undefined) yield* sealBeginning(this.#sealer, before, after, this.#database.dialect);
    return dropped;
  }

  async #dropClaims(): Promise<number> {
    let sum = 0;
    for (let after: string | null = ''; after !== null;) {
      const [page]: { next: string | null; gone: number }[] = await this.#database.rows(dropClaims, [after]);
      sum += page?.gone ?? 0;
      after = page?.next ?? null;
    }
    return sum;
  }

  async #repeat(sql: string, values: readonly number[]): Promise<number> {
    for (let sum = 0; ;) {
      const { length } = await this.#database.rows(sql, values);
      sum += length;
      if (length < batch) return sum;
    }
  }
}
