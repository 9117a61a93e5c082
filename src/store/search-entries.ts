import { setImmediate as yieldTurn } from 'node:timers/promises';
import { type StoredEntry, bodyBytes } from '../journal/entries/stored-entry.ts';
import type { EntryQuery } from '../journal/store/store.ts';

/** The maximum number of entries that one step of a search reads. */
export const maxRangeEntries = 4000;

/** The first and the last entry of a step. */
export type SeqRange = readonly [first: number, last: number];

/** Reads entries for a search. */
export interface SearchSource {
  select(query: EntryQuery): readonly StoredEntry[] | Promise<readonly StoredEntry[]>;
  /** Returns the next range of the rest, from its beginning or its end. Defaults to `maxRangeEntries` entries. */
  nextRange?(left: SeqRange, isForward: boolean): SeqRange;
  /** Resolves when the next range may be read. By default after other tasks of the event loop had a turn. */
  waitForTurn?(): Promise<unknown>;
}

/** Searches the journal range by range, so that a search with few or no matches does not block other requests. */
export async function searchEntries(
  query: EntryQuery,
  headSeq: number,
  { select, nextRange = toCountedRange, waitForTurn = yieldTurn }: SearchSource,
): Promise<readonly StoredEntry[]> {
  const isForward = query.order === 'oldest-first';
  let first = (query.after ?? 0) + 1;
  let last = Math.min((query.before ?? Infinity) - 1, headSeq);
  const found: StoredEntry[] = [];
  let room = query.bytes ?? Infinity;
  while (first <= last && found.length < query.limit && room > 0) {
    await waitForTurn();
    query.signal?.throwIfAborted();
    const [from, to] = nextRange([first, last], isForward);
    const part = { ...query, after: from - 1, before: to + 1, limit: query.limit - found.length };
    const more = await select(query.bytes === undefined ? part : { ...part, bytes: room });
    found.push(...more);
    room -= bodyBytes(more);
    if (isForward) first = to + 1;
    else last = from - 1;
  }
  return found;
}

function toCountedRange([first, last]: SeqRange, isForward: boolean): SeqRange {
  return isForward
    ? [first, Math.min(first + maxRangeEntries - 1, last)]
    : [Math.max(last - maxRangeEntries + 1, first), last];
}
