import type { EntryDraft, StoredEntry } from '../entries/stored-entry.ts';
import type { Store } from '../store/store.ts';
import { ApprovalHistory, type Carried } from './approval-history.ts';

const maxCarried = 500;

/** Writes entries for approvals and rules whose own entries are pruned. Writes at least one, which states that they are complete. */
export async function carryApprovals(store: Pick<Store, 'append'>, { approvals, rules }: Carried): Promise<void> {
  for (let start = 0; start === 0 || start < Math.max(approvals.length, rules.length); start += maxCarried) {
    const pageOf = <Item>(items: readonly Item[]): readonly Item[] => items.slice(start, start + maxCarried);
    const body = { change: 'carried', records: [], approvals: pageOf(approvals), rules: pageOf(rules) };
    await store.append([carriedDraft(JSON.stringify(body))]);
  }
}

function carriedDraft(body: string): EntryDraft {
  return { type: 'AuthorityChanged', at: Date.now(), call: '', session: '', tool: '', outcome: '', body };
}

/** Entries are not ordered by time. */
const prunedMarginMs = 24 * 60 * 60 * 1000;

/**
 * Writes entries for the approvals and rules of a store that an earlier version pruned. Runs once: later, each run of pruning writes them,
 * and a row without an entry counts as forged.
 */
export async function accountForApprovals(store: Store): Promise<void> {
  const { seq, at } = await store.beginning();
  if (seq === 0 || store.sealer?.hasNoted('accounted-approvals') === true) return;
  const history = new ApprovalHistory();
  for (const type of ['AuthorityChanged', 'ApprovalRequested', 'ApprovalResolved', 'RuleRevoked'] as const)
    for await (const entry of entriesOf(store, type)) history.add(entry);
  if (!history.hasCarried) await carryApprovals(store, await history.unaccounted(store, at + prunedMarginMs));
  store.sealer?.note('accounted-approvals');
}

/** Yields all entries of a type, oldest first. */
export async function* entriesOf(
  store: Pick<Store, 'entries'>,
  type: StoredEntry['type'],
): AsyncGenerator<StoredEntry> {
  for (let after = 0; ;) {
    const page = await store.entries({ order: 'oldest-first', type, after, limit: maxCarried });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}
