import type { JournalReader, Page } from '../journal/queries/journal-reader.ts';

/** Says on the last page of a list that older entries were pruned: what is not there is not what never was. */
export async function withPruned<Item>(
  journal: JournalReader,
  page: Page<Item>,
): Promise<Page<Item> & { readonly pruned?: { readonly seq: number; readonly at: string } }> {
  if (page.next !== undefined) return page;
  const { seq, at } = await journal.beginning();
  return seq === 0 ? page : { ...page, pruned: { seq, at: new Date(at).toISOString() } };
}
