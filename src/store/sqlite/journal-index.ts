import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ChainHead } from '../../journal/store.ts';
import { bodyFacts } from './body-facts.ts';
import { sampleSteps } from './sample-table.ts';

const pageSize = 2000;

/**
 * Keeps `entries` and the anchor in step with the journal, in batches behind the commits: an index costs a page write for
 * each commit, which would more than double what a call pays. Queries catch up first, so that nobody sees the lag.
 */
export class JournalIndex {
  readonly #anchor: StatementSync;
  readonly #insert: StatementSync;
  readonly #settle: StatementSync;
  readonly #sample: readonly StatementSync[];
  readonly #moveAnchor: StatementSync;

  constructor(database: DatabaseSync) {
    this.#anchor = database.prepare('SELECT seq, hash FROM anchor');
    this.#insert = database.prepare(
      `INSERT INTO entries SELECT seq, at, type, call, session, tool, outcome, type IN ('CallStarted', 'ToolInvoked'), ${bodyFacts}
       FROM journal WHERE seq > ? AND seq <= ?`,
    );
    this.#settle = database.prepare(
      `UPDATE entries SET latest = 0 WHERE type = 'CallStarted' AND latest = 1
       AND call IN (SELECT call FROM journal WHERE seq > ? AND seq <= ? AND type = 'ToolInvoked')`,
    );
    this.#sample = sampleSteps.map((step) => database.prepare(step));
    this.#moveAnchor = database.prepare('UPDATE anchor SET seq = ?, hash = (SELECT hash FROM journal WHERE seq = ?)');
  }

  /** Where the index ends, which is also the newest anchored head. */
  anchor(): ChainHead {
    const { seq, hash } = this.#anchor.get() as unknown as ChainHead;
    return { seq, hash };
  }

  /** Indexes what comes next, up to the head, inside a transaction; returns where the index ends then. */
  page(headSeq: number, most = pageSize): number {
    // Read inside the transaction: another process may have indexed meanwhile.
    const { seq: from } = this.anchor();
    const to = Math.min(from + most, headSeq);
    if (to <= from) return from;
    this.#insert.run(from, to);
    this.#settle.run(from, to);
    for (const step of this.#sample) step.run(from, to);
    this.#moveAnchor.run(to, to);
    return to;
  }
}
