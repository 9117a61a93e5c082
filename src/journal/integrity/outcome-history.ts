import type { EntryDraft, StoredEntry } from '../entries/stored-entry.ts';
import type { OutcomeQuery, Store, StoredOutcome } from '../store/store.ts';
import { type JournalFault, digestOf } from './hash-chain.ts';

type OutcomeTable = OutcomeQuery['from'];

const tables = ['claims', 'recordings'] as const;
const fields: Readonly<Record<OutcomeTable, string>> = { claims: 'claimDigest', recordings: 'recordingDigest' };
const names: Readonly<Record<OutcomeTable, string>> = {
  claims: 'outcome that is stored for an idempotency key',
  recordings: 'outcome that is stored for replay',
};
const pageSize = 500;

/** Adds digests of the outcomes that are stored with an entry to its body. Returns the entry itself when there are none. */
export function withOutcomeDigests(draft: EntryDraft, fingerprint: string): EntryDraft {
  const { settle, recording, call, body } = draft;
  const digests = [
    ...(settle === undefined ? [] : [`"claimDigest":"${outcomeDigest({ call, fingerprint, ...settle })}"`]),
    ...(recording === undefined
      ? []
      : [`"recordingDigest":"${outcomeDigest({ key: call, call, fingerprint: '', outcome: recording })}"`]),
  ];
  if (digests.length === 0 || !body.startsWith('{"')) return draft;
  return { ...draft, body: `${body.slice(0, -1)},${digests.join(',')}}` };
}

/** Collects the digests of outcomes in the entries of a journal, and compares the stored outcomes with them. */
export class OutcomeHistory {
  readonly #digests = { claims: new Map<string, Digest>(), recordings: new Map<string, Digest>() };
  /** Entries before this one may come from a version that wrote no digests. */
  #first: number | undefined;

  /** Adds the next entry. */
  add({ type, seq, call, body }: StoredEntry): void {
    if (type !== 'ToolInvoked' || !/"(?:claim|recording)Digest":/.test(body)) return;
    const parsed = JSON.parse(body) as Readonly<Record<string, unknown>>;
    for (const table of tables) {
      const digest = parsed[fields[table]];
      if (typeof digest !== 'string') continue;
      this.#first ??= seq;
      this.#digests[table].set(call, { seq, digest });
    }
  }

  /** Compares the stored outcomes with the entries. */
  async check(
    store: Pick<Store, 'storedOutcomes' | 'entries'>,
    signal: AbortSignal | undefined,
  ): Promise<JournalFault | undefined> {
    for (const from of tables) {
      const left = new Map(this.#digests[from]);
      for (let after = ''; ;) {
        signal?.throwIfAborted();
        const page = await store.storedOutcomes({ from, after, limit: pageSize });
        for (const stored of page) {
          const known = left.get(stored.call);
          left.delete(stored.call);
          const isFitting =
            known === undefined ? await this.#isOlder(store, stored.call) : known.digest === outcomeDigest(stored);
          if (!isFitting)
            return {
              seq: known?.seq ?? this.#first ?? 0,
              problem: `the ${names[from]}, of call ${stored.call}, was changed or forged: it does not match its entry`,
            };
        }
        const last = page.at(-1);
        if (last === undefined) break;
        after = last.key;
      }
      for (const [call, { seq }] of left)
        return { seq, problem: `the ${names[from]}, of call ${call}, was removed without an entry` };
    }
    return undefined;
  }

  /** Returns whether the call ended before digests were written. */
  async #isOlder(store: Pick<Store, 'entries'>, call: string): Promise<boolean> {
    const [ended] = await store.entries({ order: 'newest-first', type: 'ToolInvoked', call, limit: 1 });
    return ended !== undefined && ended.seq < (this.#first ?? Infinity);
  }
}

interface Digest {
  readonly seq: number;
  readonly digest: string;
}

function outcomeDigest({ key, call, fingerprint, outcome }: StoredOutcome): string {
  return digestOf([key, call, fingerprint, outcome]);
}
