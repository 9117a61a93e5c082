import type { TokensApi } from '../access/access-tokens.ts';
import type { ProfilesByName } from '../catalog/profile.ts';
import type { CatalogSnapshot } from '../catalog/snapshot.ts';
import type { Source, SourceHealth } from '../catalog/source/source.ts';
import type { AbortSignalLike } from '../core/async/light-abort-signal.ts';
import type { CallOptions, CallResult, ToolReference } from '../core/calls/call.ts';
import type { CallOutcome } from '../core/calls/call-outcome.ts';
import type { ToolDefinition } from '../core/tools/tool.ts';
import type { PruneRequest, PruneResult } from '../journal/pruning/prune-journal.ts';
import type { CallStarted, JournalEvent, ToolInvoked } from '../journal/entries/journal-event.ts';
import type { JournalVerification } from '../journal/integrity/verify-journal.ts';
import type { ArchivedEntry } from '../journal/pruning/archive-file.ts';
import type { JournalQuery, Page } from '../journal/queries/journal-reader.ts';
import type { Statistics, StatisticsQuery } from '../journal/queries/statistics.ts';
import type { ChainHead, ResultPage } from '../journal/store/store.ts';
import type { ApprovalInbox } from '../pipeline/approvals/approval-inbox.ts';
import type { BoxContent, ViewOptions, ServerInstructions } from '../pipeline/box-content.ts';
import type { SignalboxEvents } from '../pipeline/box-events.ts';
import type { PolicySummary } from '../pipeline/policies/active-policies.ts';
import type { PolicySource, RuleSource } from '../pipeline/policies/compile-policies.ts';
import type { ObservedCall } from '../pipeline/recording/call-entries.ts';
import type { CallSettlement } from '../pipeline/recording/settle-call.ts';
import type { UndoOptions, UndoResult, UndoStatus } from '../pipeline/undo/undo-calls.ts';
import type { Backtest } from '../policy/backtest.ts';
import type { SecretOptions } from '../redaction/redactor.ts';

/** An active profile. */
export interface ProfileSummary {
  readonly name: string;
  readonly settings: ProfilesByName[string];
  /** The patterns that currently match no tool. */
  readonly unmatched: readonly string[];
}

/** The servers of a box. */
export interface ServersApi {
  add(server: Source): void;
  /** Removes a server and closes it. */
  remove(server: string): Promise<void>;
  /** Replaces the server of the same name and returns the old one, whose calls go on until you close it. */
  replace(server: Source): Source;
  /** Reconnects a server. Rejects with `server-local` for a server in this process. */
  restart(server: string): Promise<void>;
  enable(server: string): void;
  disable(server: string): void;
  /** Returns the state of a server outside this process; `undefined` for a local one. */
  health(server: string): SourceHealth | undefined;
  /** Waits until every required server is up. Rejects with `server-required` when one is not after `waitMs` (5 s). */
  ready(options?: { readonly waitMs?: number; readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Waits until the first start of every server (or those of a profile) has ended, successfully or not, for at most `startup.waitMs` after
   * it began.
   */
  started(options?: ViewOptions & { readonly signal?: AbortSignalLike }): Promise<void>;
  /** Returns the instructions for models of the servers that are up. */
  instructions(view?: ViewOptions): readonly ServerInstructions[];
  /** Accepts the definitions that a server has now, in place of those first seen or accepted before. */
  accept(server: string): Promise<void>;
}

/** The policies of a box. */
export interface PoliciesApi {
  /** Replaces the policies, all or none. Rejects with a `PolicyError` that lists every problem. */
  set(policies: readonly PolicySource[], options?: { readonly keepCode?: boolean }): Promise<void>;
  /** Returns the active policies. */
  list(): PolicySummary;
  /** Returns the recorded calls that other rules would have decided differently. */
  backtest(
    rules: readonly RuleSource[],
    options?: { readonly since?: number; readonly signal?: AbortSignal },
  ): Promise<Backtest>;
}

/** The profiles of a box: named views of its catalog. */
export interface ProfilesApi {
  /** Replaces the profiles. */
  set(profiles: ProfilesByName): void;
  list(): readonly ProfileSummary[];
}

/** The journal of a box. */
export interface JournalApi {
  /** The location of the journal as display text. */
  readonly location: string;
  /** Returns a page of entries, newest first. */
  query(query?: JournalQuery): Promise<Page<JournalEvent>>;
  /** Returns one entry for each call, newest first: `ToolInvoked`, or `CallStarted` while it runs. */
  calls(query?: JournalQuery): Promise<Page<ToolInvoked | CallStarted>>;
  /** Returns the latest entry of one call. */
  call(id: string): Promise<ToolInvoked | CallStarted | undefined>;
  /** Returns counts and durations of the calls in a period. */
  statistics(query: StatisticsQuery): Promise<Statistics>;
  /** Returns the complete outcome of a call, without secrets, if it was recorded apart from its entry. */
  recording(call: string): Promise<CallOutcome | undefined>;
  /** Yields every matching entry, oldest first. With `follow`, continues with new entries until `signal` aborts. */
  stream(
    query?: JournalQuery,
    options?: { readonly follow?: boolean; readonly signal?: AbortSignal },
  ): AsyncIterable<JournalEvent>;
  /** Writes every entry as a JSON line, oldest first, in chunks. Returns the number of entries. */
  export(write: (text: string) => Promise<unknown>, options?: { readonly signal?: AbortSignal }): Promise<number>;
  /**
   * Recomputes the hash chain, and checks seal, index and stored records against it. `expected` is a head that was stored outside the
   * journal, `archive` the pruned entries.
   */
  verify(options?: {
    readonly expected?: ChainHead;
    readonly archive?: AsyncIterable<ArchivedEntry>;
    readonly signal?: AbortSignal;
  }): Promise<JournalVerification>;
  /** Archives old entries in a file and removes them from the front of the journal. */
  prune(request: PruneRequest): Promise<PruneResult>;
  /** Records how a call ended whose outcome was unknown. Only humans can, and only once. */
  settle(call: string, how: CallSettlement): Promise<void>;
  /** Records a call that did not pass through this box, without a decision. */
  record(call: ObservedCall): Promise<void>;
  /** Reads a page of a result that was too large to return whole. */
  result(uri: string, page?: { readonly offset?: number; readonly limit?: number }): Promise<ResultPage>;
}

/** Undoes calls. */
export interface UndoApi {
  /** Undoes a call. When a file has changed since, changes nothing and reports the conflicts. */
  call(callId: string, options?: UndoOptions): Promise<UndoResult>;
  /** Undoes the calls of a session, newest first, until one cannot be undone. */
  session(session: string, options?: UndoOptions): Promise<UndoResult[]>;
  /** Returns whether a call can be undone, as far as that is known without trying. */
  status(callId: string): Promise<UndoStatus>;
}

/** Values that must never be recorded. */
export interface SecretsApi {
  add(name: string, value: string, options?: SecretOptions): void;
  /** Replaces registered values in a text. */
  redact(text: string): string;
}

/** A gateway for tool calls: every call is validated, decided by policy, approved by a human where needed, recorded, and can be undone where possible. */
export interface Signalbox extends BoxContent {
  readonly version: string;
  /** Returns the tools that can be called now, by a client of this profile if one is named. */
  tools(view?: ViewOptions): readonly ToolDefinition[];
  /** Returns the tools, and the reasons why others cannot be called. */
  catalog(view?: ViewOptions): CatalogSnapshot;
  /** Calls a tool. Never rejects because of the tool: every call has an outcome. Rejects with `box-closed` after `close`. */
  call(tool: ToolReference, args?: unknown, options?: CallOptions): Promise<CallResult>;
  /** Adds a listener; returns a function that removes it. */
  on<Name extends keyof SignalboxEvents>(event: Name, listener: (event: SignalboxEvents[Name]) => void): () => void;
  readonly servers: ServersApi;
  readonly policies: PoliciesApi;
  readonly profiles: ProfilesApi;
  /** The questions that wait for a human's answer. */
  readonly approvals: ApprovalInbox;
  readonly journal: JournalApi;
  readonly undo: UndoApi;
  /** The access tokens for programs, when a server exposes this box. */
  readonly tokens: TokensApi;
  readonly secrets: SecretsApi;
  /** Waits for running calls (up to `graceMs`, 5 s), cancels the rest, and closes the servers and the journal. */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}
