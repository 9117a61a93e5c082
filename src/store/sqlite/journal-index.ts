import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ChainHead } from '../../journal/store.ts';
import { sampleSteps } from './sample-table.ts';
import { bodyFacts } from './schema.ts';

const pageSize = 2000;
/** As many as take about two milliseconds, for which everybody waits. */
const smallPage = 200;
const lagMs = 100;

/**
 * Keeps `entries` and the anchor in step with the journal, in batches behind the commits: an index costs a page write for
 * each commit, which would more than double what a call pays. Queries catch up first, so that nobody sees the lag.
 */
export class JournalIndex {
  readonly #transaction: (work: () => void) => void;
  readonly #anchor: StatementSync;
  readonly #insert: StatementSync;
  readonly #settle: StatementSync;
  readonly #sample: readonly StatementSync[];
  readonly #moveAnchor: StatementSync;
  #timer: NodeJS.Timeout | undefined;
  #next: NodeJS.Immediate | undefined;

  constructor(database: DatabaseSync, transaction: (work: () => void) => void) {
    this.#transaction = transaction;
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

  /** Catches up soon. Called after every commit, so it must cost nothing. */
  schedule(headSeq: () => number): void {
    this.#timer ??= setTimeout(this.#step, lagMs, headSeq).unref();
  }

  /** A little at a time: calls get their turn in between. */
  readonly #step = (headSeq: () => number): void => {
    this.#timer = undefined;
    const behind = this.#pageNow(headSeq);
    if (behind >= smallPage) this.#next = setImmediate(this.#step, headSeq).unref();
    else if (behind > 0) this.schedule(headSeq);
  };

  /** Catches up now. */
  catchUp(headSeq: number): void {
    while (this.anchor().seq < headSeq) this.#page(headSeq);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#next);
  }

  /** Answers how many entries are left. What cannot be written now is tried again later; why it cannot, the commits tell. */
  #pageNow(headSeq: () => number): number {
    try {
      this.#page(headSeq(), smallPage);
      return headSeq() - this.anchor().seq;
    } catch {
      return 1;
    }
  }

  #page(headSeq: number, size = pageSize): void {
    this.#transaction(() => {
      // Read inside the transaction: another process may have indexed meanwhile.
      const { seq: from } = this.anchor();
      const to = Math.min(from + size, headSeq);
      if (to <= from) return;
      this.#insert.run(from, to);
      this.#settle.run(from, to);
      for (const step of this.#sample) step.run(from, to);
      this.#moveAnchor.run(to, to);
    });
  }
}
