import { setImmediate as breath } from 'node:timers/promises';
import {
  type Beginning,
  type DropRequest,
  type Dropped,
  concurrentPruneError,
  unprunedJournal,
} from '../../../journal/store/drop-request.ts';
import type { SealTable } from './seal-table.ts';
import type { Statements } from '../statements.ts';

/** The last dropped entry. Empty while the journal is complete. */
export const beginningSchema = `
CREATE TABLE beginning (
  id INTEGER PRIMARY KEY CHECK (id = 1), seq INTEGER NOT NULL, hash TEXT NOT NULL, at INTEGER NOT NULL
) STRICT;
`;

// Each batch takes some milliseconds, so that others can commit in between.
const batch = 200;

const approvalsGone = `DELETE FROM approvals WHERE digest IN (
  SELECT digest FROM approvals WHERE requested_at < ? AND (closed = 1 OR expires_at < ?) LIMIT ${batch})`;
const resultsGone = `DELETE FROM results WHERE id IN (SELECT id FROM results WHERE at < ? LIMIT ${batch}) RETURNING id`;
const pagesGone = 'DELETE FROM result_pages WHERE id = ?';
// A key is settled together with its entry, so a settled key without an entry can be dropped. The index may lag behind the
// journal, which other processes write to.
const claimsGone = `DELETE FROM claims WHERE key IN (SELECT key FROM claims WHERE key > ? AND key <= ? AND outcome IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM entries WHERE entries.call = claims.call AND entries.call <> '')
  AND NOT EXISTS (SELECT 1 FROM journal WHERE journal.seq > (SELECT seq FROM anchor) AND journal.call = claims.call))`;
const nextClaims = `SELECT max(key) AS key FROM (SELECT key FROM claims WHERE key > ? ORDER BY key LIMIT ${batch})`;

/** Drops old entries from the front of the journal, in batches. The journal is consistent after each batch. */
export class PrunedJournal {
  readonly #statements: Statements;
  readonly #transaction: (work: () => void) => void;
  readonly #seals: SealTable;

  constructor(statements: Statements, transaction: (work: () => void) => void, seals: SealTable) {
    this.#statements = statements;
    this.#seals = seals;
    this.#transaction = transaction;
  }

  beginning(): Beginning {
    const row = this.#statements.get('SELECT seq, hash, at FROM beginning').get() as unknown as Beginning | undefined;
    return row === undefined ? unprunedJournal : { seq: row.seq, hash: row.hash, at: row.at };
  }

  async drop(
    { from, to, before, onProgress, signal }: DropRequest,
    onCommit: (rows: number) => void,
  ): Promise<Dropped> {
    let recordings = 0;
    for (let seq = from.seq; seq < to.seq;) {
      const last = Math.min(seq + batch, to.seq);
      recordings += this.#dropEntries(seq, last);
      seq = last;
      onCommit(batch);
      onProgress?.(seq - from.seq);
      await breath();
      signal?.throwIfAborted();
    }
    const approvals = await this.#repeat(() => this.#run(approvalsGone, before, Date.now()));
    const results = await this.#repeat(() => this.#dropResults(before));
    const claims = await this.#dropClaims();
    return { entries: to.seq - from.seq, approvals, results, recordings, claims };
  }

  #dropEntries(from: number, to: number): number {
    let recordings = 0;
    this.#transaction(() => {
      const before = this.beginning();
      if (before.seq !== from) throw concurrentPruneError();
      const between = 'FROM journal WHERE seq > ? AND seq <= ?';
      this.#run(`DELETE FROM samples WHERE at <= (SELECT max(at) ${between}) AND seq <= ?`, from, to, to);
      recordings = this.#run(
        `DELETE FROM recordings WHERE call IN (SELECT call ${between} AND type = 'ToolInvoked')`,
        from,
        to,
      );
      this.#run('INSERT OR REPLACE INTO beginning SELECT 1, seq, hash, at FROM journal WHERE seq = ?', to);
      this.#seals.prune(before, this.beginning());
      this.#run('DELETE FROM entries WHERE seq <= ?', to);
      this.#run('DELETE FROM journal WHERE seq <= ?', to);
    });
    return recordings;
  }

  #dropResults(before: number): number {
    let dropped = 0;
    this.#transaction(() => {
      const ids = this.#statements.get(resultsGone).all(before);
      for (const { id } of ids) this.#run(pagesGone, String(id));
      dropped = ids.length;
    });
    return dropped;
  }

  async #dropClaims(): Promise<number> {
    let dropped = 0;
    for (let after = ''; ;) {
      const next = this.#statements.get(nextClaims).get(after)?.['key'];
      if (typeof next !== 'string') return dropped;
      dropped += this.#run(claimsGone, after, next);
      after = next;
      await breath();
    }
  }

  async #repeat(step: () => number): Promise<number> {
    let sum = 0;
    for (let dropped = step(); dropped > 0; dropped = step()) {
      sum += dropped;
      await breath();
    }
    return sum;
  }

  #run(sql: string, ...values: (string | number)[]): number {
    return Number(this.#statements.get(sql).run(...values).changes);
  }
}
