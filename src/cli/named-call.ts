import type { JournalReader } from '../journal/queries/journal-reader.ts';

/** The id of a call that is named by it, or by the number of one of its entries, as `journal` prints them. */
export async function namedCall(named: string, journal: Pick<JournalReader, 'query'>): Promise<string> {
  if (!/^#?\d{1,15}$/.test(named)) return named;
  const seq = Number(named.replace('#', ''));
  const [entry] = (await journal.query({ before: seq + 1, limit: 1 })).items;
  return entry?.seq === seq && 'callId' in entry ? entry.callId : named;
}
