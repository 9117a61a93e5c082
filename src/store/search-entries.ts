import { setImmediate as breath } from 'node:timers/promises';
import { type StoredEntry, bodyBytes } from '../journal/entries/stored-entry.ts';
import type { EntryQuery } from '../journal/store/store.ts';

/** The most entries that are looked at in one go. */
export const maxRangeEntries = 4000;

/** The first and the last entry to look at. */
export type SeqRange = readonly [first: number, last: number];

/** How entries are looked at. */
export interface SearchSource {
  select(query: EntryQuery): readonly StoredEntry[] | Promise<readonly StoredEntry[]>;
  /** The next stretch of what is left, from its beginning or from its end; so many entries unless said. */
  nextRange?(left: SeqRange, isForward: boolean): SeqRange;
  /** Resolves when the next stretch may be looked at; after others were let in unless said. */
  waitForTurn?(): Promise<unknown>;
}

/** Looks through the journal stretch by stretch, so that what is rare or nowhere does not hold others up meanwhile. */
export async function searchEntries(
  query: EntryQuery,
  headSeq: number,
  { select, nextRange = toCountedRange, waitForTurn = breath }: SearchSource,
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
