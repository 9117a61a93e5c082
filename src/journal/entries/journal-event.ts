import type { FileChange } from '../../core/calls/file-change.ts';
import type { OutcomeName, CallError } from '../../core/calls/call-outcome.ts';
import type { Principal, Role } from '../../core/principal.ts';
import type { ApprovalQuestion, RememberScope } from '../../core/calls/approval.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Decision } from '../../core/calls/decision.ts';
import type { Effect } from '../../core/tools/tool.ts';

/** The properties of every event. */
export interface EntryBase {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly hash: string;
}

/** The properties of the events that begin and end a call. */
export interface CallEntry {
  readonly callId: string;
  readonly sessionId?: string;
  readonly tool: string;
  readonly principal: Principal;
  /** The arguments that the tool received, as JSON without secrets. */
  readonly arguments: JsonObject;
  /** The original arguments of the caller, when defaults, configured values or transforms changed them. */
  readonly givenArguments?: JsonObject;
  readonly server?: string;
  /** The tool's name before rendering; absent when rendering did not change it. */
  readonly ownName?: string;
  /** The server's own name for the tool; absent unless the tool was renamed. */
  readonly renamedFrom?: string;
  /** The source of the tool: `local:notes`, `mcp:files`. */
  readonly adapter?: string;
  readonly effect?: Effect;
  /** The labels of the tool, if it has any. */
  readonly labels?: readonly string[];
  readonly definitionHash?: string;
  /** The tool had its own undo function. */
  readonly ownUndo?: true;
  /** The machine that ran it and stores the checkpoint. Present for tools that can be undone. */
  readonly machine?: string;
  readonly decision?: Decision;
  /** SHA-256 of the complete arguments of the tool, in canonical form. Absent for reads whose entry contains all arguments. */
  readonly argumentsHash?: string;
  readonly idempotencyKey?: string;
  /** The call bypassed Signalbox and was only observed: a server with `passthrough`. */
  readonly observed?: true;
  /** Rules do not count this call, because they count the call that it led to: `read_resource` of a model session. */
  readonly uncounted?: true;
  /** The approval that the call used. */
  readonly approvalId?: string;
  /** The call whose arguments a human edited into this one. */
  readonly replaces?: string;
}

/** A call is about to run. */
export interface CallStarted extends EntryBase, CallEntry {
  readonly type: 'CallStarted';
}

/** A call has ended; there is exactly one for every call, however it ended. */
export interface ToolInvoked extends EntryBase, CallEntry {
  readonly type: 'ToolInvoked';
  readonly outcome: OutcomeName;
  /** `null` when the process ended before the outcome was recorded. */
  readonly durationMs: number | null;
  /** The result as display text, at most 1000 characters. */
  readonly output: string;
  /** The result comes from the cache, and the tool did not run. */
  readonly cached?: true;
  readonly error?: CallError;
  /** The number of attempts, when greater than one. */
  readonly attempts?: number;
  /** The cost that the tool reported. */
  readonly costUsd?: number;
  /** The outcome that a human determined, when it was unknown. */
  readonly settled?: Settlement;
  /** The first hundred changes in the workspace; `changesTotal` is their number. */
  readonly changes?: readonly FileChange[];
  readonly changesTotal?: number;
  /** Digest of the outcome stored for later calls with the same idempotency key. `verify` compares them. */
  readonly claimDigest?: string;
  /** Digest of the outcome stored for replay. `verify` compares them. */
  readonly recordingDigest?: string;
}

/** The outcome of a call as a human determined it, after it was unknown. */
export interface Settlement {
  readonly as: 'completed' | 'failed';
  readonly by: Principal;
  readonly at: string;
  readonly note?: string;
}

/** A call needs a human's approval. */
export interface ApprovalRequested extends EntryBase, Omit<ApprovalQuestion, 'session' | 'hidden'> {
  readonly type: 'ApprovalRequested';
  readonly approvalId: string;
  readonly sessionId?: string;
  /** The parts that `arguments` does not show. Absent in entries of earlier versions. */
  readonly hidden?: ApprovalQuestion['hidden'];
  readonly expiresAt: string;
  /** Digest of the stored question. `verify` compares them. */
  readonly digest?: string;
}

/** A human has seen the hidden parts of a question. */
export interface ApprovalRevealed extends EntryBase {
  readonly type: 'ApprovalRevealed';
  readonly approvalId: string;
  readonly callId: string;
  readonly sessionId?: string;
  readonly tool: string;
  readonly by: Principal;
}

/** A human has answered. */
export interface ApprovalResolved extends EntryBase {
  readonly type: 'ApprovalResolved';
  readonly approvalId: string;
  readonly callId: string;
  readonly sessionId?: string;
  readonly tool: string;
  readonly decision: 'approved' | 'denied';
  readonly by: Principal;
  readonly reason?: string;
  /** The arguments as the human edited them, without secrets. */
  readonly arguments?: JsonObject;
  /** The rule that was created to remember the answer. */
  readonly remembered?: { readonly rule: string; readonly scope: RememberScope; readonly digest?: string };
  /** The reason why the answer could not be remembered as requested. */
  readonly notRemembered?: string;
  /** The way in which the human acknowledged hidden parts other than registered secret values. Present when there were any. */
  readonly hiddenParts?: 'revealed' | 'acknowledged';
  /** Digest of the stored answer and the rule that remembers it. `verify` compares them. */
  readonly digest?: string;
}

/** A remembered approval was revoked. */
export interface RuleRevoked extends EntryBase {
  readonly type: 'RuleRevoked';
  readonly rule: string;
  readonly by: Principal;
}

/** A human determined the outcome of a call whose outcome was unknown. */
export interface CallSettled extends EntryBase {
  readonly type: 'CallSettled';
  readonly callId: string;
  readonly sessionId?: string;
  readonly tool: string;
  readonly as: 'completed' | 'failed';
  readonly by: Principal;
  readonly note?: string;
}

/** A call is about to be undone. */
export interface UndoStarted extends EntryBase {
  readonly type: 'UndoStarted';
  readonly callId: string;
  readonly sessionId?: string;
  readonly tool: string;
  /** The principal that requested the undo, or Signalbox itself after a call that did not complete. */
  readonly principal: Principal;
}

/** The result of undoing a call. */
export interface Undone extends EntryBase {
  readonly type: 'Undone';
  readonly callId: string;
  readonly sessionId?: string;
  readonly tool: string;
  readonly principal: Principal;
  readonly result: 'undone' | 'partly-undone' | 'conflict' | 'failed';
  /** The number of changes in the workspace that were checked. */
  readonly changes: number;
  /** The files that were left unchanged, with the reason. */
  readonly conflicts: readonly { readonly workspace: string; readonly path: string; readonly reason: string }[];
  /** The reason why the tool's own `undo` failed. */
  readonly error?: string;
}

/** A server was added, removed, or changed its status. */
export interface ServerChanged extends EntryBase {
  readonly type: 'ServerChanged';
  readonly server: string;
  readonly status: 'up' | 'down' | 'disabled' | 'removed';
  readonly tools: number;
  readonly reason?: string;
}

/** The result of a configuration change while the box ran. */
export interface ConfigurationChange {
  /** `refused`: the configuration is invalid, and the running one stays. */
  readonly status: 'applied' | 'refused';
  /** The file that changed; absent when it was changed through the API. */
  readonly file?: string;
  /** The principal that changed it through the API. */
  readonly by?: Principal;
  /** The changes, or the problems with their locations; one per line. */
  readonly details: readonly string[];
}

/** The configuration was changed while the box ran. */
export interface ConfigurationChanged extends EntryBase, ConfigurationChange {
  readonly type: 'ConfigurationChanged';
}

/** A principal read a resource or prompt of a server. Its content is not recorded. */
export interface ContentRead extends EntryBase {
  readonly type: 'ContentRead';
  readonly sessionId?: string;
  readonly server: string;
  readonly kind: 'resource' | 'prompt';
  /** The URI of the resource, or the name of the prompt. */
  readonly name: string;
  /** The arguments of the prompt, without secrets. */
  readonly arguments?: JsonObject;
  readonly principal: Principal;
  readonly outcome: 'completed' | 'failed';
  readonly durationMs: number;
  readonly error?: string;
}

/** An access token was created. The token itself is not recorded. */
export interface TokenCreated extends EntryBase {
  readonly type: 'TokenCreated';
  readonly tokenId: string;
  readonly role: Role;
  readonly name?: string;
  readonly profile?: string;
  readonly expiresAt?: string;
  readonly by: Principal;
  /** Digest of the stored token. `verify` compares them. */
  readonly digest?: string;
}

/** An access token was revoked. */
export interface TokenRevoked extends EntryBase {
  readonly type: 'TokenRevoked';
  readonly tokenId: string;
  readonly role: Role;
  readonly by: Principal;
}

/**
 * The kinds of stored records that grant authority: pinned definitions, accepted changes of the lock, signed-in browsers,
 * sign-in links and access tokens.
 */
export type AuthorityKind = 'pin' | 'lock' | 'sign-in' | 'sign-in-link' | 'token';

/** The description of a stored record in a journal entry. */
export interface AuthorityRecord {
  readonly kind: AuthorityKind;
  /** The server, person or token of the record. */
  readonly name: string;
  /** Identifies a record without its key, which may be a hash of a secret. */
  readonly id: string;
  /** SHA-256 of the stored record. */
  readonly digest: string;
  /** The record was revoked and is still stored. */
  readonly isRevoked?: true;
}

/** An approval whose entries were pruned, or the part of them that was. */
export interface CarriedApproval {
  readonly id: string;
  /** SHA-256 of the stored question, and its expiry; absent when another entry has them. */
  readonly digest?: string;
  readonly expiresAt?: number;
  readonly answer?: CarriedAnswer;
  /** The call that used it. */
  readonly usedBy?: string;
}

/** An answer whose entry was pruned. */
export interface CarriedAnswer {
  readonly decision: string;
  readonly digest?: string;
  readonly rule?: string;
}

/** A remembered rule whose entry was pruned. */
export interface CarriedRule {
  readonly id: string;
  /** SHA-256 of the stored rule; absent for rules of an earlier version. */
  readonly digest?: string;
  readonly isRevoked?: true;
}

/** Records that grant authority were stored or removed: pinned definitions, accepted locks, sign-in links, signed-in browsers. */
export interface AuthorityChanged extends EntryBase {
  readonly type: 'AuthorityChanged';
  /** `carried`: the original entries were pruned, or an earlier version wrote none. */
  readonly change: 'stored' | 'removed' | 'carried';
  readonly records: readonly AuthorityRecord[];
  /** Present, even if empty, in each entry that accounts for approvals and rules whose entries were pruned. */
  readonly approvals?: readonly CarriedApproval[];
  readonly rules?: readonly CarriedRule[];
}

/** The public form of a journal entry. */
export type JournalEvent =
  | CallStarted
  | ToolInvoked
  | ServerChanged
  | ConfigurationChanged
  | ContentRead
  | ApprovalRequested
  | ApprovalRevealed
  | ApprovalResolved
  | RuleRevoked
  | CallSettled
  | UndoStarted
  | Undone
  | TokenCreated
  | TokenRevoked
  | AuthorityChanged;
