import { setImmediate as breath } from 'node:timers/promises';
import type { StoredEntry } from '../journal/entry.ts';
import type { EntryQuery } from '../journal/store.ts';

const stretch = 4000;

/** Looks through the journal stretch by stretch, so that what is rare or nowhere does not hold others up meanwhile. */
export async function search(
  query: EntryQuery,
  headSeq: number,
  select: (query: EntryQuery) => readonly StoredEntry[] | Promise<readonly StoredEntry[]>,
): Promise<readonly StoredEntry[]> {
  const first = (query.after ?? 0) + 1;
  const last = Math.min((query.before ?? Infinity) - 1, headSeq);
  const found: StoredEntry[] = [];
  for (let done = 0; done <= last - first && found.length < query.limit; done += stretch) {
    const [from, to] =
      query.order === 'oldest-first'
        ? [first + done, Math.min(first + done + stretch - 1, last)]
        : [Math.max(last - done - stretch + 1, first), last - done];
    found.push(...(await select({ ...query, after: from - 1, before: to + 1, limit: query.limit - found.length })));
    await breath();
  }
  return found;
}
