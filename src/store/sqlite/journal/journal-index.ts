import type { StatementSync } from 'node:sqlite';
import { setImmediate as yieldTurn } from 'node:timers/promises';
import type { ChainHead, IndexFault } from '../../../journal/store/store.ts';
import { SignalboxError } from '../../../core/errors.ts';
import type { Seal, Sealer } from '../../../journal/integrity/seal.ts';
import { sealHead, selectSeals } from '../../tables/seal-operations.ts';
import type { JournalTable } from './journal-table.ts';
import { indexSamples } from './sample-table.ts';
import { bodyFacts } from '../schema.ts';
import type { SqliteDatabase } from '../sqlite-database.ts';

const pageSize = 2000;
/** The size of a small page, which blocks the event loop for about two milliseconds. */
const smallPage = 256;
/** A smaller rest waits for more entries while calls continue. */
const minPage = 64;
/** Calls come in bursts, so indexing waits until a burst has ended. */
const quietMs = 50;
/** A longer or larger load is not a burst. Then entries are indexed as they arrive. */
const maxBurstMs = 1000;
const maxBurstEntries = 2048;

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

/**
 * Updates `entries`, the anchor and the seal from the journal, in batches after the commits: an index update costs a page write
 * per commit, which would more than double the cost of a call. Entries in the tail file move into the table in the same batches.
 * Queries catch up first, so the lag is never visible. After a crash, no seal is ahead of its entries.
 */
export class JournalIndex {
  readonly #journal: Pick<JournalTable, 'head' | 'transaction'>;
  readonly #database: SqliteDatabase;
  readonly #sealer: Sealer | undefined;
  #isSealNoted = false;
  readonly #anchor: StatementSync;
  readonly #newest: StatementSync;
  readonly #insert: StatementSync;
  readonly #settle: StatementSync;
  readonly #sample: readonly StatementSync[];
  readonly #moveAnchor: StatementSync;
  #timer: NodeJS.Timeout | undefined;
  #next: NodeJS.Immediate | undefined;
  /** The start of the current burst. */
  #began = { at: 0, seq: 0 };
  #isSustained = false;
  /** The head at the last check. */
  #seen = 0;

  constructor(
    database: SqliteDatabase,
    journal: Pick<JournalTable, 'head' | 'transaction'>,
    sealer: Sealer | undefined,
  ) {
    this.#database = database;
    this.#journal = journal;
    this.#sealer = sealer;
    this.#anchor = database.prepare('SELECT seq, hash FROM anchor');
    this.#newest = database.prepare('SELECT ifnull(max(seq), 0) AS seq FROM entries');
    this.#insert = database.prepare(
      `INSERT INTO entries SELECT seq, at, type, call, session, tool, outcome, type IN ('CallStarted', 'ToolInvoked'), ${bodyFacts}
       FROM journal WHERE seq > ? AND seq <= ?`,
    );
    this.#settle = database.prepare(
      `UPDATE entries SET latest = 0 WHERE type = 'CallStarted' AND latest = 1
       AND call IN (SELECT call FROM journal WHERE seq > ? AND seq <= ? AND type = 'ToolInvoked')`,
    );
    this.#sample = indexSamples.map((step) => database.prepare(step));
    this.#moveAnchor = database.prepare('UPDATE anchor SET seq = ?, hash = (SELECT hash FROM journal WHERE seq = ?)');
  }

  /** Returns the end of the index, which is also the newest anchored head. */
  anchor(): ChainHead {
    const { seq, hash } = this.#anchor.get() as unknown as ChainHead;
    return { seq, hash };
  }

  /** Returns what is wrong with the anchor: it moves with the index, so neither is ahead of the other. */
  anchorFault(): IndexFault | undefined {
    const { seq } = this.anchor();
    const { seq: newest } = this.#newest.get() as unknown as ChainHead;
    if (newest <= seq) return undefined;
    return { seq, problem: `the anchor was changed: it is at entry ${seq}, and the index goes on to entry ${newest}` };
  }

  /** Schedules indexing for after the burst. Called after every append, so it must be cheap. */
  schedule(): void {
    if (this.#next !== undefined) return;
    if (this.#timer === undefined) {
      this.#began = { at: performance.now(), seq: this.#journal.head.seq };
      this.#wait();
    } else if (this.#isSustained && this.#journal.head.seq - this.#seen >= smallPage) {
      clearTimeout(this.#timer);
      this.#next = setImmediate(this.#step).unref();
    }
  }

  #wait(): void {
    this.#seen = this.#journal.head.seq;
    this.#timer = setTimeout(this.#checkBurst, quietMs).unref();
  }

  readonly #checkBurst = (): void => {
    const { at, seq } = this.#began;
    const isQuiet = this.#journal.head.seq === this.#seen;
    const isLong = performance.now() - at >= maxBurstMs || this.#journal.head.seq - seq >= maxBurstEntries;
    this.#isSustained = !isQuiet && (this.#isSustained || isLong);
    if (isQuiet || this.#isSustained) this.#step();
    else this.#wait();
  };

  /** Indexes one small page, so that calls can run in between. */
  readonly #step = (): void => {
    this.#timer = this.#next = undefined;
    const behind = this.#pageNow();
    if (behind >= minPage) this.#next = setImmediate(this.#step).unref();
    else if (this.#isSustained) this.#wait();
    else if (behind > 0) this.schedule();
  };

  /** Indexes the present entries except the last page, one small page at a time. */
  async catchUpGradually(): Promise<void> {
    for (let behind = this.#behind; behind > smallPage; behind -= smallPage) {
      this.#page(smallPage, smallPage);
      await yieldTurn();
    }
  }

  /** Indexes all entries now. */
  catchUp(): void {
    while (this.#behind > 0) this.#page(pageSize);
  }

  /** Compares the index with the journal after `from`, page by page. Returns the first difference. */
  async check(from: number, signal: AbortSignal | undefined): Promise<IndexFault | undefined> {
    const { seq: to } = this.anchor();
    for (const check of checks)
      for (let after = from; after < to; after += pageSize) {
        signal?.throwIfAborted();
        const found = this.#database.prepare(check).get(after, Math.min(after + pageSize, to));
        if (found !== undefined) return { seq: Number(found['seq']) };
        await yieldTurn();
      }
    // Rows before the first entry, which no page reaches.
    const early = this.#database.prepare('SELECT seq FROM entries WHERE seq <= ? LIMIT 1').get(from);
    const stray = early ?? this.#database.prepare(strays).get(to);
    return stray === undefined ? undefined : { seq: Number(stray['seq']) };
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#next);
  }

  get #behind(): number {
    return this.#journal.head.seq - this.anchor().seq;
  }

  /** Indexes a small page and returns the number of entries left. A failed write is retried later; commits report the reason. */
  #pageNow(): number {
    try {
      this.#page(smallPage, smallPage);
      return this.#behind;
    } catch {
      return 1;
    }
  }

  #page(size: number, maxPending?: number): void {
    this.#journal.transaction((head) => {
      // Read inside the transaction: another process may have indexed meanwhile.
      const { seq: from } = this.anchor();
      const fault = this.anchorFault();
      if (fault?.problem !== undefined)
        throw new SignalboxError('store-unavailable', `${fault.problem}. Run: signalbox journal verify`);
      const to = Math.min(from + size, head.seq);
      if (to <= from) return;
      this.#insert.run(from, to);
      this.#settle.run(from, to);
      for (const step of this.#sample) step.run(from, to);
      this.#moveAnchor.run(to, to);
      if (this.#sealer !== undefined)
        this.#database.runSync(sealHead(this.#sealer, this.anchor(), this.#database.dialect));
    }, maxPending);
    this.#noteSealed();
  }

  /** Records outside of the store that it is sealed. */
  #noteSealed(): void {
    const sealer = this.#sealer;
    if (this.#isSealNoted || sealer === undefined) return;
    if (!this.#database.rowsSync<Seal>(selectSeals).some(({ key }) => key === sealer.key)) return;
    sealer.noteSealed();
    this.#isSealNoted = true;
  }
}
