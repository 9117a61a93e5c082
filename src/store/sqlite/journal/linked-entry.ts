import { linkHash } from '../../../journal/integrity/hash-chain.ts';
import type { StoredEntry } from '../../../journal/entries/stored-entry.ts';
import type { ChainHead } from '../../../journal/store/store.ts';

/** An entry before it has its place in the chain. */
export type UnlinkedEntry = Omit<StoredEntry, 'seq' | 'writer' | 'hash'>;

/** An entry with its place in the chain. The hash is computed on first access, usually after the caller has its response. */
export class LinkedEntry implements StoredEntry {
  readonly seq: number;
  readonly at: number;
  readonly type: StoredEntry['type'];
  readonly call: string;
  readonly session: string;
  readonly tool: string;
  readonly outcome: StoredEntry['outcome'];
  readonly writer: string;
  readonly body: string;
  #hash: string | undefined;
  /** The previous entry, until this one has a hash. */
  #before: ChainHead | undefined;
  #previous: string | undefined;

  constructor({ at, type, call, session, tool, outcome, body }: UnlinkedEntry, writer: string, before: ChainHead) {
    this.seq = before.seq + 1;
    this.at = at;
    this.type = type;
    this.call = call;
    this.session = session;
    this.tool = tool;
    this.outcome = outcome;
    this.writer = writer;
    this.body = body;
    this.#before = before;
  }

  get hash(): string {
    return this.#hash ?? this.#link();
  }

  /** Returns whether this entry directly follows the given head. */
  follows({ seq, hash }: ChainHead): boolean {
    return this.seq === seq + 1 && (this.#before?.hash ?? this.#previous) === hash;
  }

  /** Computes the hashes of all unhashed entries before this one. Iterative, because there may be thousands. */
  #link(): string {
    const unlinked: LinkedEntry[] = [this];
    let before = this.#before;
    while (before instanceof LinkedEntry && before.#hash === undefined) {
      unlinked.push(before);
      before = before.#before;
    }
    let hash = before?.hash ?? '';
    for (const entry of unlinked.toReversed()) {
      entry.#previous = hash;
      entry.#before = undefined;
      hash = entry.#hash = linkHash(hash, entry);
    }
    return hash;
  }
}
