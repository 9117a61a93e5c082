import { hash } from 'node:crypto';
import type { ArchivedEntry } from '../pruning/archive-file.ts';
import type { StoredEntry } from '../entries/stored-entry.ts';
import { SignalboxError } from '../../core/errors.ts';
import type { ChainHead, Store } from '../store/store.ts';

/**
 * Returns the hash of an entry, over all of its fields and the previous hash. Line breaks separate the fields:
 * no field can contain one (the body is JSON text, where a line break is escaped).
 */
export function linkHash(previous: string, entry: Omit<StoredEntry, 'hash'>): string {
  return hash(
    'sha256',
    `${previous}\n${entry.seq}\n${entry.at}\n${entry.type}\n${entry.call}\n${entry.session}\n${entry.tool}\n${entry.outcome}\n${entry.writer}\n${entry.body}`,
    'hex',
  );
}

/** Returns the digest of a stored record for its entry, so that neither can be changed without the other. */
export function digestOf(facts: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(facts), 'hex');
}

const pageBytes = 4 * 1024 * 1024;

/** The first entry at which a journal, or a record that belongs to it, is wrong. */
export interface JournalFault {
  readonly seq: number;
  readonly problem: string;
}

/** The result of verifying the hash chain: its head, or the first broken link. */
export type ChainVerification =
  | { readonly ok: true; readonly entries: number; readonly head: ChainHead }
  | { readonly ok: false; readonly entries: number; readonly seq: number; readonly problem: string };

/** Options for verifying the hash chain. */
export interface VerifyOptions {
  /** A head that was stored outside the journal. */
  readonly expected?: ChainHead;
  readonly archive?: AsyncIterable<ArchivedEntry>;
  /** Additional heads that must be in the chain. */
  readonly heads?: readonly ChainHead[];
  /** Called with each verified entry of the journal. */
  readonly onEntry?: (entry: StoredEntry) => void;
  readonly signal?: AbortSignal;
}

/**
 * Recomputes the complete chain. With `expected`, a head that was stored outside the journal earlier, it also detects a journal that was
 * rewritten and re-hashed.
 */
export async function verifyChain(
  store: Pick<Store, 'anchor' | 'beginning' | 'entries'>,
  options: VerifyOptions = {},
): Promise<ChainVerification> {
  const beginning = await store.beginning();
  const { expected, heads = [] } = options;
  const anchors = [beginning, await store.anchor(), ...heads, ...(expected === undefined ? [] : [expected])];
  let archived = 0;
  if (options.archive !== undefined) {
    const found = await verifyArchive(options.archive, beginning, anchors, options.signal);
    if (!found.ok) return found;
    archived = found.entries;
  } else if (options.expected !== undefined && options.expected.seq < beginning.seq)
    return prunedHead(options.expected);
  const counted = (to: ChainHead): number => archived + to.seq - beginning.seq;
  let head: ChainHead = beginning;
  for (;;) {
    options.signal?.throwIfAborted();
    const entries = await store.entries({ order: 'oldest-first', after: head.seq, limit: 2000, bytes: pageBytes });
    for (const entry of entries) {
      const problem = brokenLink(head, entry, anchors);
      if (problem !== undefined) {
        if ((await store.beginning()).seq !== beginning.seq) return await verifyAgain(store, options);
        return { ok: false, entries: counted(head), seq: entry.seq, problem };
      }
      head = entry;
      options.onEntry?.(entry);
    }
    if (entries.length === 0) break;
    // Yields to the event loop between pages.
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  const missing = anchors.find((anchor) => anchor.seq > head.seq);
  if (missing !== undefined) {
    return {
      ok: false,
      entries: counted(head),
      seq: head.seq + 1,
      problem: `entries ${head.seq + 1} to ${missing.seq} are missing at the end`,
    };
  }
  return { ok: true, entries: counted(head), head: { seq: head.seq, hash: head.hash } };
}

/** Verifies again from the new beginning, after entries were pruned during the verification. */
function verifyAgain(store: Parameters<typeof verifyChain>[0], options: VerifyOptions): Promise<ChainVerification> {
  if (options.archive === undefined) return verifyChain(store, options);
  throw new SignalboxError(
    'journal-pruned',
    'the journal was pruned while it was verified; verify it again, with the new archive too',
  );
}

/** Recomputes the chain of pruned entries up to the beginning of the journal. Archives may overlap, because one may be incomplete. */
async function verifyArchive(
  archive: AsyncIterable<ArchivedEntry>,
  beginning: ChainHead,
  anchors: readonly ChainHead[],
  signal?: AbortSignal,
): Promise<ChainVerification> {
  let entries = 0;
  let head: ChainHead | undefined;
  for await (const entry of archive) {
    signal?.throwIfAborted();
    if (entry.seq > beginning.seq || (head !== undefined && entry.seq <= head.seq)) continue;
    const past = head === undefined ? anchors.find(({ seq }) => seq > 0 && seq < entry.seq) : undefined;
    if (past !== undefined) return prunedHead(past);
    // The first entry contains the previous hash. A wrong one would not match the entry's own hash.
    const before: ChainHead = head ?? { seq: entry.seq - 1, hash: entry.previous ?? '' };
    const problem = brokenLink(before, entry, anchors);
    if (problem !== undefined) return { ok: false, entries, seq: entry.seq, problem: `in the archive, ${problem}` };
    head = { seq: entry.seq, hash: entry.hash };
    entries += 1;
  }
  if (head?.hash === beginning.hash || (head === undefined && beginning.seq === 0))
    return { ok: true, entries, head: head ?? beginning };
  const seq = (head?.seq ?? 0) + 1;
  const problem =
    head?.seq === beginning.seq
      ? `the journal does not continue from entry ${head.seq} of the archive`
      : `entries ${seq} to ${beginning.seq} were pruned and are in no archive`;
  return { ok: false, entries, seq, problem };
}

/** Returns the failure for a head that was pruned and so cannot be checked. */
function prunedHead({ seq }: ChainHead): ChainVerification {
  return {
    ok: false,
    entries: 0,
    seq,
    problem: `entry ${seq} was pruned: pass the archives that contain it with --with`,
  };
}

function brokenLink(before: ChainHead, entry: StoredEntry, anchors: readonly ChainHead[]): string | undefined {
  if (entry.seq !== before.seq + 1) return `entry ${before.seq + 1} is missing`;
  if (entry.hash !== linkHash(before.hash, entry))
    return `entry ${entry.seq} was changed: its hash does not match its content and the previous entry`;
  if (anchors.some((anchor) => anchor.seq === entry.seq && anchor.hash !== entry.hash)) {
    return `entry ${entry.seq} is not the one that was anchored: entries up to it were rewritten`;
  }
  return undefined;
}
