import type { OutcomeName } from '../../core/calls/call-outcome.ts';
import type { Decision } from '../../core/calls/decision.ts';
import type { ApprovalStore } from './approval-store.ts';
import type { CallSamples, SampleQuery } from './call-samples.ts';
import type { EntryDraft, EntryType, StoredEntry } from '../entries/stored-entry.ts';
import type { RecoveryOptions } from './recovery-options.ts';
import type { PubSub } from './pub-sub.ts';
import type { KeyValueStore } from './key-value-store.ts';
import type { Beginning, Dropped, DropRequest } from './drop-request.ts';
import type { Seal, Sealer } from '../integrity/seal.ts';
import type { SessionStore } from './session-store.ts';
import type { TokenStore } from './token-store.ts';
import type { JobStore } from './job-store.ts';

/** The port behind which records are kept. Every driver passes `store.conformance.ts`. */
export interface Store extends ApprovalStore {
  /** What this process is called in the entries that it writes. */
  readonly writer: string;
  /** Where the records are, for people. */
  readonly location: string;
  readonly sessions: SessionStore;
  readonly tokens: TokenStore;
  readonly jobs: JobStore;
  readonly keyValues: KeyValueStore;
  readonly pubSub: PubSub;
  /** Whether other processes may write to it. */
  readonly isShared: boolean;
  /**
   * Writes all or nothing, in order, each entry linked to the one before. When it resolves, the entries survive the death of
   * this process. `undefined` in the place of an entry: its idempotency key was taken or its change of an
   * approval or a token refused, and it was not written. A driver that need not wait does not: the answer to a call waits for
   * this.
   */
  append(drafts: readonly EntryDraft[]): Appended | Promise<Appended>;
  /** When it resolves, everything appended before the call survives the loss of power. */
  sync(): Promise<void>;
  /** Entries that fit the query, in the order it asks for. */
  entries(query: EntryQuery): Promise<readonly StoredEntry[]>;
  /**
   * Returns the newest place if this process wrote every entry after `seq`, and `undefined` if others may have written some. Costs
   * little: asked before each call that rules count.
   */
  ownSince(seq: number): number | undefined;
  /** Ended calls, for counting: when each ended, how, and how long it took. */
  samples(query: SampleQuery): Promise<CallSamples>;
  /** The newest head of the chain that was set down apart from the entries: what `verify` holds them against. */
  anchor(): Promise<ChainHead>;
  /** The key that this process seals heads with, where it has one. */
  readonly sealer: Sealer | undefined;
  /** The seals, one for each key; none is ahead of the entries that survive. */
  seals(): Promise<readonly Seal[]>;
  /** Compares everything that queries read with the entries. Returns the first difference. */
  checkIndex(signal?: AbortSignal): Promise<IndexFault | undefined>;
  /**
   * Intents of this process without an outcome. What of this process could not be appended before the call is decided: it is
   * there, or never will be.
   */
  openCalls(): Promise<readonly StoredEntry[]>;
  /** Where the journal begins: what came before was dropped. */
  beginning(): Promise<Beginning>;
  /** Drops old entries, and what is kept besides them that is as old. Fails when another process does the same. */
  drop(request: DropRequest): Promise<Dropped>;
  /** Intents whose process is gone and that have no outcome. Where processes of several machines start at once, each is told to one, and to that one until there is an outcome. */
  orphans(options?: RecoveryOptions): Promise<readonly StoredEntry[]>;
  /** Returns the `writer` of every process that has the store open, this one included. */
  livingWriters(options?: RecoveryOptions): Promise<ReadonlySet<string>>;
  /** Who took an idempotency key. */
  claim(key: string): Promise<Claim | undefined>;
  /** The whole outcome of a call, as JSON text, where it was recorded. */
  recording(call: string): Promise<string | undefined>;
  /** Returns outcomes that are stored besides their entries, in the order of their keys. */
  storedOutcomes(query: OutcomeQuery): Promise<readonly StoredOutcome[]>;
  /** Keeps a result that is too large to be handed out whole. */
  storeResult(result: StoredResult): Promise<void>;
  /** Reads a page of a kept result, by UTF-16 position. */
  readResult(id: string, offset: number, limit: number): Promise<ResultPage | undefined>;
  close(): Promise<void>;
}

/** An entry that queries do not see as the journal has it. */
export interface IndexFault {
  readonly seq: number;
  /** What is wrong, where it is not the entry itself. */
  readonly problem?: string;
}

/** What became of the entries of an append, in their order. */
export type Appended = readonly (StoredEntry | undefined)[];

/** Position and hash of an entry; seq 0 with an empty hash before the first. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** What to look for. All conditions must hold. */
export interface EntryQuery {
  readonly order: 'oldest-first' | 'newest-first';
  readonly limit: number;
  /** Ends with the entry whose body makes it so many bytes: one entry may have a megabyte. */
  readonly bytes?: number;
  /** Only entries with a greater seq. */
  readonly after?: number;
  /** Only entries with a smaller seq. */
  readonly before?: number;
  readonly since?: number;
  readonly until?: number;
  readonly session?: string;
  readonly tool?: string;
  readonly outcome?: OutcomeName;
  readonly server?: string;
  /** What policy said. */
  readonly decision?: Decision['answer'];
  /** Only entries with this in the tool's name, the arguments, the output, or what is said of the decision or an error. */
  readonly text?: string;
  /** Only calls that a rule in shadow mode would have decided otherwise. */
  readonly shadowed?: true;
  readonly type?: EntryType;
  readonly call?: string;
  /** Only entries of this principal, or of the agents that act for it. */
  readonly principal?: string;
  /** One entry for each call: its outcome, or its intent while there is none. */
  readonly calls?: boolean;
  /** Ends what takes long: looking for `text` and for what is `shadowed`. */
  readonly signal?: AbortSignal;
}

/** An idempotency key in use. */
export interface Claim {
  readonly call: string;
  /** Hash of the arguments it was taken for. */
  readonly fingerprint: string;
  /** The outcome as JSON text, once there is one. */
  readonly outcome?: string;
}

/** Which stored outcomes to read: those of idempotency keys, or those for replay. */
export interface OutcomeQuery {
  readonly from: 'claims' | 'recordings';
  /** Only those with a greater key. */
  readonly after: string;
  readonly limit: number;
}

/** The outcome of a call as it is stored besides its entry. */
export interface StoredOutcome {
  readonly key: string;
  readonly call: string;
  /** Hash of the arguments that an idempotency key was taken for; empty for recordings. */
  readonly fingerprint: string;
  readonly outcome: string;
}

/** A result that is kept whole. */
export interface StoredResult {
  readonly id: string;
  /** The principal that may read it. */
  readonly owner: string;
  readonly mimeType: string;
  readonly text: string;
}

/** A page of a kept result. */
export interface ResultPage {
  readonly owner: string;
  readonly mimeType: string;
  readonly text: string;
  readonly offset: number;
  /** Length of the whole, in UTF-16 units. */
  readonly total: number;
  /** Where the next page begins; absent on the last page. */
  readonly next?: number;
}
