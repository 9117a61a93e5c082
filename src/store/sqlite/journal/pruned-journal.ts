import { setImmediate as yieldTurn } from 'node:timers/promises';
import type { Sealer } from '../../../journal/integrity/seal.ts';
import {
  type Beginning,
  type DropRequest,
  type DropResult,
  concurrentPruneError,
  unprunedJournal,
} from '../../../journal/store/drop-request.ts';
import { sealBeginning, selectBeginning } from '../../tables/seal-operations.ts';
import type { SqliteDatabase } from '../sqlite-database.ts';

// Each batch takes some milliseconds, so that others can commit in between.
const batch = 200;

const approvalsGone = `DELETE FROM approvals WHERE digest IN (
  SELECT digest FROM approvals WHERE requested_at < ? AND (used_by <> '' OR (answer = 'denied' AND closed = 1) OR expires_at < ?) LIMIT ${batch})`;
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
  readonly #database: SqliteDatabase;
  readonly #transaction: (work: () => void) => void;
  readonly #sealer: Sealer | undefined;

  constructor(database: SqliteDatabase, transaction: (work: () => void) => void, sealer: Sealer | undefined) {
    this.#database = database;
    this.#transaction = transaction;
    this.#sealer = sealer;
  }

  beginning(): Beginning {
    return this.#database.rowsSync<Beginning>(selectBeginning)[0] ?? unprunedJournal;
  }

  async drop({ from, to, before, onProgress, signal }: DropRequest): Promise<DropResult> {
    // First, because an approval without an entry would count as forged.
    const approvals = await this.#repeat(() => this.#run(approvalsGone, before, Date.now()));
    let recordings = 0;
    for (let seq = from.seq; seq < to.seq;) {
      const last = Math.min(seq + batch, to.seq);
      recordings += this.#dropEntries(seq, last);
      seq = last;
      this.#database.noteCommit(batch);
      onProgress?.(seq - from.seq);
      await yieldTurn();
      signal?.throwIfAborted();
    }
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
      const after = this.beginning();
      if (this.#sealer !== undefined)
        this.#database.runSync(sealBeginning(this.#sealer, before, after, this.#database.dialect));
      this.#run('DELETE FROM entries WHERE seq <= ?', to);
      this.#run('DELETE FROM journal WHERE seq <= ?', to);
    });
    return recordings;
  }

  #dropResults(before: number): number {
    let dropped = 0;
    this.#transaction(() => {
      const ids = this.#database.prepare(resultsGone).all(before);
      for (const { id } of ids) this.#run(pagesGone, String(id));
      dropped = ids.length;
    });
    return dropped;
  }

  async #dropClaims(): Promise<number> {
    let dropped = 0;
    for (let after = ''; ;) {
      const next = this.#database.prepare(nextClaims).get(after)?.['key'];
      if (typeof next !== 'string') return dropped;
      dropped += this.#run(claimsGone, after, next);
      after = next;
      await yieldTurn();
    }
  }

  async #repeat(step: () => number): Promise<number> {
    let sum = 0;
    for (let dropped = step(); dropped > 0; dropped = step()) {
      sum += dropped;
      await yieldTurn();
    }
    return sum;
  }

  #run(sql: string, ...values: (string | number)[]): number {
    return Number(this.#database.prepare(sql).run(...values).changes);
  }
}
