import type { OutcomeName } from '../../core/calls/call-outcome.ts';
import type { Decision } from '../../core/calls/decision.ts';
import type { ApprovalStore } from './approval-store.ts';
import type { CallSamples, SampleQuery } from './call-samples.ts';
import type { EntryDraft, EntryType, StoredEntry } from '../entries/stored-entry.ts';
import type { RecoveryOptions, SessionStore } from './session-store.ts';
import type { PubSub } from './pub-sub.ts';
import type { KeyValueStore } from './key-value-store.ts';
import type { Beginning, DropResult, DropRequest } from './drop-request.ts';
import type { Seal, Sealer } from '../integrity/seal.ts';
import type { AccessTokenStore } from './access-token-store.ts';
import type { JobStore } from './job-store.ts';

/**
 * The storage of all records of a box. Opaque to users, who create one with `sqliteStore` or `postgresStore` and pass it to `createSignalbox`,
 * which closes it: the members are the port that drivers implement, and change between versions. Every driver passes `store.conformance.ts`.
 */
export interface Store extends ApprovalStore {
  /** The name of this process in the entries that it writes. */
  readonly writer: string;
  /** The location of the records as display text. */
  readonly location: string;
  readonly sessions: SessionStore;
  readonly tokens: AccessTokenStore;
  readonly jobs: JobStore;
  readonly keyValues: KeyValueStore;
  readonly pubSub: PubSub;
  /** Whether other processes may write to it. */
  readonly isShared: boolean;
  /**
   * Writes all drafts or none, in order, each linked to the previous entry. When it resolves, the entries survive the end of this
   * process. The result has `undefined` for a draft that was not written, because its idempotency key was taken or its change was
   * rejected. A driver returns synchronously when it can, because calls wait for this.
   */
  append(drafts: readonly EntryDraft[]): Appended | Promise<Appended>;
  /** Flushes to disk: when it resolves, everything appended before survives a power loss. */
  sync(): Promise<void>;
  /** Returns the entries that match the query, in its order. */
  entries(query: EntryQuery): Promise<readonly StoredEntry[]>;
  /**
   * Returns the newest seq if this process wrote every entry after `seq`, and `undefined` if other processes may have written some.
   * Must be cheap: it runs before each call that rules count.
   */
  ownSince(seq: number): number | undefined;
  /** Returns the times, outcomes and durations of ended calls, for statistics. */
  samples(query: SampleQuery): Promise<CallSamples>;
  /** Returns the newest head of the chain that is stored apart from the entries. `verify` compares them with it. */
  anchor(): Promise<ChainHead>;
  /** The key with which this process seals heads, if it has one. */
  readonly sealer: Sealer | undefined;
  /** Returns the seals, one for each key. None is ahead of the durable entries. */
  seals(): Promise<readonly Seal[]>;
  /** Compares the index that queries read with the entries. Returns the first difference. */
  checkIndex(signal?: AbortSignal): Promise<IndexFault | undefined>;
  /**
   * Returns the intents of this process without an outcome. Waits for appends of this process that are still undecided, so that an
   * entry is either in the result or never written.
   */
  openCalls(): Promise<readonly StoredEntry[]>;
  /** Returns the beginning of the journal: the last entry that was pruned. */
  beginning(): Promise<Beginning>;
  /** Drops old entries and other records of the same age. Rejects when another process is dropping entries. */
  drop(request: DropRequest): Promise<DropResult>;
  /**
   * Returns intents without an outcome whose process has ended. Each intent is assigned to one process until its outcome is written,
   * also when processes on several machines start at the same time.
   */
  orphans(options?: RecoveryOptions): Promise<readonly StoredEntry[]>;
  /** Returns the `writer` of every process that has the store open, this one included. */
  liveWriters(options?: RecoveryOptions): Promise<ReadonlySet<string>>;
  /** Returns the call that claimed an idempotency key. */
  claim(key: string): Promise<Claim | undefined>;
  /** Returns the complete outcome of a call as JSON text, if it was recorded. */
  recording(call: string): Promise<string | undefined>;
  /** Returns outcomes that are stored apart from their entries, in the order of their keys. */
  storedOutcomes(query: OutcomeQuery): Promise<readonly StoredOutcome[]>;
  /** Stores a result that is too large to be returned at once. */
  storeResult(result: StoredResult): Promise<void>;
  /** Reads a page of a stored result, by UTF-16 position. */
  readResult(id: string, offset: number, limit: number): Promise<ResultPage | undefined>;
  close(): Promise<void>;
}

/** A difference between an entry and the index that queries read. */
export interface IndexFault {
  readonly seq: number;
  /** The problem, when it is not in the entry itself. */
  readonly problem?: string;
}

/** The entries of an append in order; `undefined` for drafts that were not written. */
export type Appended = readonly (StoredEntry | undefined)[];

/** The position and hash of an entry; seq 0 with an empty hash before the first entry. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** A query for entries. All conditions must match. */
export interface EntryQuery {
  readonly order: 'oldest-first' | 'newest-first';
  readonly limit: number;
  /** Limits the total size of the bodies. The last entry may exceed it: one entry may have a megabyte. */
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
  /** Only calls with this answer of the policy. */
  readonly decision?: Decision['answer'];
  /** Only entries that contain this text in the tool name, the arguments, the output, the decision or the error. */
  readonly text?: string;
  /** Only calls that a rule in shadow mode would have decided differently. */
  readonly shadowed?: true;
  readonly type?: EntryType;
  readonly call?: string;
  /** Only entries of this principal and of the agents that act for it. */
  readonly principal?: string;
  /** Only one entry for each call: its outcome, or its intent while it runs. */
  readonly calls?: boolean;
  /** Aborts slow searches: those with `text` or `shadowed`. */
  readonly signal?: AbortSignal;
}

/** An idempotency key in use. */
export interface Claim {
  readonly call: string;
  /** Hash of the arguments for which it was claimed. */
  readonly fingerprint: string;
  /** The outcome as JSON text, once the call has ended. */
  readonly outcome?: string;
}

/** A query for stored outcomes: those of idempotency keys, or those for replay. */
export interface OutcomeQuery {
  readonly from: 'claims' | 'recordings';
  /** Only those with a greater key. */
  readonly after: string;
  readonly limit: number;
}

/** The outcome of a call that is stored separately from its entry. */
export interface StoredOutcome {
  readonly key: string;
  readonly call: string;
  /** Hash of the arguments for which an idempotency key was claimed; empty for recordings. */
  readonly fingerprint: string;
  readonly outcome: string;
}

/** A complete result. */
export interface StoredResult {
  readonly id: string;
  /** The principal that may read it. */
  readonly owner: string;
  readonly mimeType: string;
  readonly text: string;
}

/** A page of a stored result. */
export interface ResultPage {
  readonly owner: string;
  readonly mimeType: string;
  readonly text: string;
  readonly offset: number;
  /** Length of the complete text in UTF-16 units. */
  readonly total: number;
  /** Offset of the next page; absent on the last page. */
  readonly next?: number;
}
