import { rm } from 'node:fs/promises';
import { SignalboxError } from '../../core/errors.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { readArchives, writeArchive } from './archive-file.ts';
import { copyAuthorityRecords } from '../integrity/authority-records.ts';
import { carryApprovals } from '../integrity/carried-approvals.ts';
import { ApprovalHistory } from '../integrity/approval-history.ts';
import { AuthorityHistory } from '../integrity/authority-history.ts';
import { linkHash } from '../integrity/hash-chain.ts';
import type { StoredEntry } from '../entries/stored-entry.ts';
import type { Beginning, DropResult } from '../store/drop-request.ts';
import type { ChainHead, Store } from '../store/store.ts';

const pageBytes = 4 * 1024 * 1024;

/** Options for pruning the journal. */
export interface PruneRequest {
  /** Prunes the entries before this time; milliseconds since 1970. */
  readonly before: number;
  /** The file to which the entries are written first. Without it, entries are only counted. */
  readonly archive?: string;
  readonly onProgress?: (doing: 'writing' | 'dropping', entries: number) => void;
  readonly signal?: AbortSignal;
}

/** The entries that were pruned or would be pruned. */
export interface PruneResult {
  readonly entries: number;
  /** The first and the last pruned entry. */
  readonly first?: number;
  readonly last?: number;
  /** Present when entries were dropped. */
  readonly dropped?: DropResult;
  /** An open call, whose entry and all later entries cannot be pruned. */
  readonly keptFor?: string;
}

/**
 * Drops old entries from the front of the journal, after they were written to a file and read back. The rest remains verifiable,
 * because the journal stores the hash of the last pruned entry.
 */
export async function pruneJournal(
  store: Store,
  { before, archive, onProgress, signal }: PruneRequest,
): Promise<PruneResult> {
  const from = await store.beginning();
  const [open] = await store.entries({ order: 'oldest-first', type: 'CallStarted', calls: true, limit: 1 });
  const { seq: newest } = await store.anchor();
  const past = new PastEntries(store, from, { before, newest, open });
  const [authority, approvals] = [new AuthorityHistory(), new ApprovalHistory()];
  const counted = past.read([authority, approvals], (entries) => onProgress?.('writing', entries), signal);
  if (archive === undefined || !(await past.isAny())) {
    for await (const _entry of counted);
    return past.found();
  }
  await writeArchive(archive, from.hash, counted);
  const found = past.found();
  const { last } = past;
  if (last === undefined) return found;
  // Removes the file when nothing was dropped, because it would block the next attempt.
  const removeArchive = (): Promise<void> => rm(archive, { force: true });
  try {
    await assertSame(archive, from, last, found.entries);
  } catch (error) {
    await removeArchive();
    throw error;
  }
  let hasDropped = false;
  try {
    await copyAuthorityRecords(store, authority.records());
    await carryApprovals(store, approvals.carried());
    const onDropped = (entries: number): void => {
      hasDropped = true;
      onProgress?.('dropping', entries);
    };
    const dropped = await store.drop(omitUndefined({ from, to: last, before, onProgress: onDropped, signal }));
    return { ...found, dropped };
  } catch (error) {
    // After any other error it is unknown whether entries were dropped, and the file may be their only copy.
    if (!hasDropped && error instanceof SignalboxError && error.code === 'journal-pruned') await removeArchive();
    throw error;
  }
}

interface Bounds {
  readonly before: number;
  /** The newest entry stays, so that the chain has one. */
  readonly newest: number;
  readonly open: StoredEntry | undefined;
}

/** The entries from the front of the journal that can be pruned, up to the first that cannot. */
class PastEntries {
  last: Beginning | undefined;
  readonly #store: Store;
  readonly #from: ChainHead;
  readonly #bounds: Bounds;
  #keptFor: string | undefined;

  constructor(store: Store, from: ChainHead, bounds: Bounds) {
    this.#store = store;
    this.#from = from;
    this.#bounds = bounds;
  }

  async isAny(): Promise<boolean> {
    const [first] = await this.#store.entries({ order: 'oldest-first', after: this.#from.seq, limit: 1 });
    return first !== undefined && this.#canPrune(first);
  }

  async *read(
    histories: readonly Pick<AuthorityHistory, 'add'>[],
    onProgress: (entries: number) => void,
    signal?: AbortSignal,
  ): AsyncGenerator<StoredEntry> {
    for (let after = this.#from.seq; ;) {
      const entries = await this.#store.entries({ order: 'oldest-first', after, limit: 1000, bytes: pageBytes });
      for (const entry of entries) {
        if (!this.#canPrune(entry)) return;
        for (const history of histories) history.add(entry);
        this.last = { seq: entry.seq, hash: entry.hash, at: entry.at };
        yield entry;
        after = entry.seq;
      }
      if (entries.length === 0) return;
      onProgress(after - this.#from.seq);
      signal?.throwIfAborted();
    }
  }

  found(): PruneResult {
    const entries = (this.last?.seq ?? this.#from.seq) - this.#from.seq;
    const last = this.last?.seq;
    return omitUndefined({ entries, first: last && this.#from.seq + 1, last, keptFor: this.#keptFor });
  }

  #canPrune({ seq, at }: StoredEntry): boolean {
    const { before, newest, open } = this.#bounds;
    if (at >= before) return false;
    if (open === undefined || seq < open.seq) return seq < newest;
    this.#keptFor = open.call;
    return false;
  }
}

/** Reads the archive back and throws unless it contains exactly the entries that are dropped next. */
async function assertSame(file: string, from: ChainHead, to: ChainHead, expected: number): Promise<void> {
  let head = from;
  let entries = 0;
  for await (const entry of readArchives([file])) {
    if (entry.seq !== head.seq + 1 || entry.hash !== linkHash(head.hash, entry)) break;
    head = entry;
    entries += 1;
  }
  if (entries !== expected || head.seq !== to.seq || head.hash !== to.hash)
    throw new SignalboxError(
      'file-unreadable',
      `${file} does not contain what was written to it after entry ${head.seq}, or the journal is broken there: nothing was dropped. Run: signalbox journal verify`,
    );
}
