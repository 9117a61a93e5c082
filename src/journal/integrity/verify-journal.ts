import { AuthorityHistory } from './authority-history.ts';
import { ApprovalHistory } from './approval-history.ts';
import { type ChainVerification, type VerifyOptions, verifyChain } from './hash-chain.ts';
import type { StoredEntry } from '../entries/stored-entry.ts';
import { OutcomeHistory } from './outcome-history.ts';
import type { Beginning } from '../store/drop-request.ts';
import { type Seal, type Sealer, isGenuine } from './seal.ts';
import type { ChainHead, Store } from '../store/store.ts';

/** The sealed position for the key of this machine, or the reason why the seal cannot be checked here. */
export type SealStatus =
  | { readonly state: 'sealed'; readonly seq: number }
  | { readonly state: 'unknown'; readonly why: string };

/** The result of `verify`: a valid journal, or its first problem. */
export type JournalVerification =
  | (ChainVerification & { readonly ok: true; readonly authentication: SealStatus })
  | (ChainVerification & { readonly ok: false });

type VerifiedStore = Pick<
  Store,
  | 'anchor'
  | 'beginning'
  | 'entries'
  | 'seals'
  | 'sealer'
  | 'checkIndex'
  | 'approvals'
  | 'rules'
  | 'keyValues'
  | 'tokens'
  | 'storedOutcomes'
>;

/**
 * Checks the seal, recomputes the chain, and compares the index, the approvals, the authority records and the stored outcomes with the
 * entries. The options are those of `verifyChain`.
 */
export async function verifyJournal(store: VerifiedStore, options: VerifyOptions = {}): Promise<JournalVerification> {
  for (let attempt = 1; ; attempt += 1) {
    const { result, comparedAt } = await verifyOnce(store, options);
    // An archive can be read only once.
    const isLast = attempt === maxAttempts || options.archive !== undefined;
    if (result.ok || isLast || comparedAt === undefined) return result;
    // A record that is written during the verification has its entry after those that were read.
    const [newer] = await store.entries({ order: 'oldest-first', after: comparedAt, limit: 1 });
    if (newer === undefined) return result;
  }
}

const maxAttempts = 3;

interface Verified {
  readonly result: JournalVerification;
  /** The last entry with which records were compared; absent when verification failed before. */
  readonly comparedAt?: number;
}

async function verifyOnce(store: VerifiedStore, options: VerifyOptions): Promise<Verified> {
  const { beginning, seals } = await readSeals(store);
  const authentication = authenticate(store.sealer, seals, beginning);
  if ('problem' in authentication) return { result: { ok: false, entries: 0, ...authentication } };
  const history = new ApprovalHistory();
  const authority = new AuthorityHistory();
  const outcomes = new OutcomeHistory();
  const sealed = store.sealer && seals.find(({ key }) => key === store.sealer?.key);
  // Entries that were pruned cannot be compared with a seal.
  const heads: readonly ChainHead[] = sealed === undefined || sealed.seq < beginning.seq ? [] : [sealed];
  const onEntry = (entry: StoredEntry): void => {
    for (const each of [history, authority, outcomes]) each.add(entry);
  };
  const chain = await verifyChain(store, { ...options, heads, onEntry });
  if (!chain.ok) return { result: chain };
  const comparedAt = chain.head.seq;
  const broken = { ok: false, entries: chain.entries } as const;
  const index = await store.checkIndex(options.signal);
  if (index !== undefined)
    return {
      result: {
        ...broken,
        seq: index.seq,
        problem: index.problem ?? `entry ${index.seq} is missing or different in the index that queries read`,
      },
    };
  const fault =
    (await history.check(store, comparedAt)) ??
    (await authority.check(store, comparedAt)) ??
    (await outcomes.check(store, options.signal));
  return { result: fault === undefined ? { ...chain, authentication } : { ...broken, ...fault }, comparedAt };
}

/** Reads a consistent pair of seals and beginning, because pruning changes both. */
async function readSeals(store: VerifiedStore): Promise<{ beginning: Beginning; seals: readonly Seal[] }> {
  for (;;) {
    const beginning = await store.beginning();
    const seals = await store.seals();
    if ((await store.beginning()).seq === beginning.seq) return { beginning, seals };
  }
}

/** Checks the seal of this machine's key. Its head is checked with the chain. */
function authenticate(
  sealer: Sealer | undefined,
  seals: readonly Seal[],
  beginning: Beginning,
): SealStatus | { readonly seq: number; readonly problem: string } {
  if (sealer === undefined) return { state: 'unknown', why: 'there is no usable key on this machine' };
  const own = seals.find(({ key }) => key === sealer.key);
  if (own === undefined) {
    if (sealer.hasSealed())
      return {
        seq: 1,
        problem:
          'the seal of this machine is gone: it was removed, or the journal was replaced by one from before the seal',
      };
    const why = seals.length === 0 ? 'it is not sealed yet' : 'it is sealed with keys of other machines only';
    return { state: 'unknown', why };
  }
  if (!isGenuine(sealer, own))
    return { seq: own.seq, problem: 'the seal was changed: it was not made with the key of this machine' };
  if (own.beginning === beginning.seq && own.beginningHash === beginning.hash) return { state: 'sealed', seq: own.seq };
  const isByOther = seals.some(
    (seal) => seal !== own && seal.beginning === beginning.seq && seal.beginningHash === beginning.hash,
  );
  if (isByOther && beginning.seq > own.beginning)
    return { state: 'unknown', why: 'it was pruned by a machine with another key' };
  return {
    seq: Math.max(beginning.seq, own.beginning) + 1,
    problem: `entries up to ${beginning.seq} are gone, and no prune command removed them: the sealed journal begins after ${own.beginning}`,
  };
}
