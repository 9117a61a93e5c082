import { linkHash } from '../../../journal/integrity/hash-chain.ts';
import type { StoredEntry } from '../../../journal/entries/stored-entry.ts';
import type { ChainHead } from '../../../journal/store/store.ts';

/** What an entry is made of before it has its place in the chain. */
export type UnlinkedEntry = Omit<StoredEntry, 'seq' | 'writer' | 'hash'>;

/** An entry with its place in the chain. Its hash is made when somebody looks at it: most callers have their answer by then. */
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
  /** The entry before, as long as this one has no hash. */
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

  /** Whether it stands after this one in the chain. */
  follows({ seq, hash }: ChainHead): boolean {
    return this.seq === seq + 1 && (this.#before?.hash ?? this.#previous) === hash;
  }

  /** Those before it come first, and not by one calling the other: there may be thousands. */
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
