import { setImmediate as breath } from 'node:timers/promises';
import { type SearchSource, type SeqRange, maxRangeEntries } from '../../search-entries.ts';
import type { SqliteDatabase } from '../sqlite-database.ts';

/** Reading this much takes some milliseconds. The size of a single entry is limited when it is recorded. */
const maxRangeBytes = 2 * 1024 * 1024;

/**
 * Limits how much a search reads in one step, which blocks the event loop. All searches together read only one range per turn
 * of the event loop, however large the entries are.
 */
export class BoundedRanges implements Required<Omit<SearchSource, 'select'>> {
  readonly #database: SqliteDatabase;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  readonly waitForTurn = (): Promise<unknown> => (this.#turn = this.#turn.then(() => breath()));

  /** Returns the next range: at least one entry, however large. */
  readonly nextRange = ([first, last]: SeqRange, isForward: boolean): SeqRange => {
    const sizes = this.#database.prepare(
      `SELECT seq, octet_length(body) AS size FROM journal WHERE seq >= ? AND seq <= ?
       ORDER BY seq ${isForward ? 'ASC' : 'DESC'} LIMIT ?`,
    );
    let end: number | undefined;
    let bytes = 0;
    for (const { seq, size } of sizes.iterate(first, last, maxRangeEntries) as Iterable<{
      seq: number;
      size: number;
    }>) {
      bytes += size;
      if (end !== undefined && bytes > maxRangeBytes) break;
      end = seq;
    }
    if (end === undefined) return [first, last];
    return isForward ? [first, end] : [end, last];
  };
}
