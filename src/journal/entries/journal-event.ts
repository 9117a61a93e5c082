import type { FileChange } from '../../core/calls/file-change.ts';
import type { OutcomeName, CallError } from '../../core/calls/call-outcome.ts';
import type { Principal, Role } from '../../core/principal.ts';
import type { ApprovalQuestion, RememberScope } from '../../core/calls/approval.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Decision } from '../../core/calls/decision.ts';
import type { Effect } from '../../core/tools/tool.ts';

/** The properties of every event. */
interface Recorded {
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly hash: string;
}

/** The properties of the events that begin and end a call. */
interface CallFacts {
  readonly callId: string;
  readonly sessionId?: string;
  readonly tool: string;
  readonly principal: Principal;
  /** The arguments that the tool received, as JSON without secrets. */
  readonly arguments: JsonObject;
  /** The arguments as the caller gave them, where defaults, configured values or transforms made others of them. */
  readonly givenArguments?: JsonObject;
  readonly server?: string;
  /** The tool's name before rendering; absent when rendering did not change it. */
  readonly ownName?: string;
  /** The server's own name for the tool; absent unless the tool was renamed. */
  readonly renamedFrom?: string;
  /** How the tool was reached: `local:notes`, `mcp:files`. */
  readonly adapter?: string;
  readonly effect?: Effect;
  /** The labels of the tool, where it has some. */
  readonly labels?: readonly string[];
  readonly definitionHash?: string;
  /** The tool had an undo function of its own. */
  readonly ownUndo?: true;
  /** The machine it ran on, where what is needed to take it back is kept: of tools that can be undone. */
  readonly machine?: string;
  readonly decision?: Decision;
  /** SHA-256 of the whole arguments that the tool ran with, in canonical form. Absent for reads whose entry contains them whole. */
  readonly argumentsHash?: string;
  readonly idempotencyKey?: string;
  /** The call went past Signalbox and was only seen: a server with `passthrough`. */
  readonly observed?: true;
  /** Rules do not count it, because it led to another call that they count: `read_resource` of a model session. */
  readonly uncounted?: true;
  /** The approval it ran by. */
  readonly approvalId?: string;
  /** The call whose arguments a human edited into this one. */
  readonly replaces?: string;
}

/** A call is about to run. */
export interface CallStarted extends Recorded, CallFacts {
  readonly type: 'CallStarted';
}

/** A call has ended; there is exactly one for every call, however it ended. */
export interface ToolInvoked extends Recorded, CallFacts {
  readonly type: 'ToolInvoked';
  readonly outcome: OutcomeName;
  /** `null` when the process died and nobody knows. */
  readonly durationMs: number | null;
  /** The result as a person would read it, at most 1000 characters. */
  readonly output: string;
  /** The result is one that was given out before, and the tool did not run. */
  readonly cached?: true;
  readonly error?: CallError;
  /** How often it was tried, when that was more than once. */
  readonly attempts?: number;
  /** What the tool says the call cost. */
  readonly costUsd?: number;
  /** What a human found out about a call whose outcome was unknown. */
  readonly settled?: Settlement;
  /** What it changed in its workspace: the first hundred, `changesTotal` in all. */
  readonly changes?: readonly FileChange[];
  readonly changesTotal?: number;
  /** Of the outcome as it is stored for later calls with the same idempotency key: `verify` compares both. */
  readonly claimDigest?: string;
  /** Of the outcome as it is stored for replay: `verify` compares both. */
  readonly recordingDigest?: string;
}

/** What a human found out about a call whose outcome was unknown. */
export interface Settlement {
  readonly as: 'completed' | 'failed';
  readonly by: Principal;
  readonly at: string;
  readonly note?: string;
}

/** A human is asked about a call. */
export interface ApprovalRequested extends Recorded, Omit<ApprovalQuestion, 'session' | 'hidden'> {
  readonly type: 'ApprovalRequested';
  readonly approvalId: string;
  readonly sessionId?: string;
  /** The parts that `arguments` does not show. Absent in entries of earlier versions. */
  readonly hidden?: ApprovalQuestion['hidden'];
  readonly expiresAt: string;
  /** Of the question as it is stored: `verify` compares both. */
  readonly digest?: string;
}

/** A human has seen the hidden parts of a question. */
export interface ApprovalRevealed extends Recorded {
  readonly type: 'ApprovalRevealed';
  readonly approvalId: string;
  readonly callId: string;
  readonly sessionId?: string;
  readonly tool: string;
  readonly by: Principal;
}

/** A human has answered. */
export interface ApprovalResolved extends Recorded {
  readonly type: 'ApprovalResolved';
  readonly approvalId: string;
  readonly callId: string;
  readonly sessionId?: string;
  readonly tool: string;
  readonly decision: 'approved' | 'denied';
  readonly by: Principal;
  readonly reason?: string;
  /** The arguments in the human's version, without secrets. */
  readonly arguments?: JsonObject;
  /** The rule that remembers the answer. */
  readonly remembered?: { readonly rule: string; readonly scope: RememberScope };
  /** Why it could not be remembered as the human asked. */
  readonly notRemembered?: string;
  /** How the human took note of hidden parts that are not registered secret values. Present where there were some. */
  readonly hiddenParts?: 'revealed' | 'acknowledged';
  /** Of the answer as it is stored, and of the rule that remembers it: `verify` compares both. */
  readonly digest?: string;
}

/** A remembered approval holds no longer. */
export interface RuleRevoked extends Recorded {
  readonly type: 'RuleRevoked';
  readonly rule: string;
  readonly by: Principal;
}

/** A human has said how a call ended whose outcome was unknown. */
export interface CallSettled extends Recorded {
  readonly type: 'CallSettled';
  readonly callId: string;
  readonly sessionId?: string;
  readonly tool: string;
  readonly as: 'completed' | 'failed';
  readonly by: Principal;
  readonly note?: string;
}

/** A call is about to be taken back. */
export interface UndoStarted extends Recorded {
  readonly type: 'UndoStarted';
  readonly callId: string;
  readonly sessionId?: string;
  readonly tool: string;
  /** Who wants it: a principal, or Signalbox itself after a call that did not complete. */
  readonly principal: Principal;
}

/** A call was taken back, or not. */
export interface Undone extends Recorded {
  readonly type: 'Undone';
  readonly callId: string;
  readonly sessionId?: string;
  readonly tool: string;
  readonly principal: Principal;
  readonly result: 'undone' | 'partly-undone' | 'conflict' | 'failed';
  /** How many changes of the workspace were looked at. */
  readonly changes: number;
  /** What was left as it is, and why. */
  readonly conflicts: readonly { readonly workspace: string; readonly path: string; readonly reason: string }[];
  /** Why the tool's own `undo` failed. */
  readonly error?: string;
}

/** A server came, went, or changed how it is. */
export interface ServerChanged extends Recorded {
  readonly type: 'ServerChanged';
  readonly server: string;
  readonly status: 'up' | 'down' | 'disabled' | 'removed';
  readonly tools: number;
  readonly reason?: string;
}

/** What became of a configuration that changed while the box ran. */
export interface ConfigurationChange {
  /** `refused`: it has a mistake, and what ran before runs on. */
  readonly status: 'applied' | 'refused';
  /** The file that changed; absent when it was changed through the API. */
  readonly file?: string;
  /** Who changed it through the API. */
  readonly by?: Principal;
  /** What was done, or what is wrong and where; a line each. */
  readonly details: readonly string[];
}

/** The configuration was changed while the box ran. */
export interface ConfigurationChanged extends Recorded, ConfigurationChange {
  readonly type: 'ConfigurationChanged';
}

/** Somebody read a resource or a prompt of a server. What was read is not recorded. */
export interface ContentRead extends Recorded {
  readonly type: 'ContentRead';
  readonly sessionId?: string;
  readonly server: string;
  readonly kind: 'resource' | 'prompt';
  /** The resource’s address, or the prompt’s name. */
  readonly name: string;
  /** What the prompt was filled in with, without secrets. */
  readonly arguments?: JsonObject;
  readonly principal: Principal;
  readonly outcome: 'completed' | 'failed';
  readonly durationMs: number;
  readonly error?: string;
}

/** An access token was made. The token itself is not recorded. */
export interface TokenCreated extends Recorded {
  readonly type: 'TokenCreated';
  readonly tokenId: string;
  readonly role: Role;
  readonly name?: string;
  readonly profile?: string;
  readonly expiresAt?: string;
  readonly by: Principal;
  /** Of the token as it is stored: `verify` compares both. */
  readonly digest?: string;
}

/** An access token is good no longer. */
export interface TokenRevoked extends Recorded {
  readonly type: 'TokenRevoked';
  readonly tokenId: string;
  readonly role: Role;
  readonly by: Principal;
}

/**
 * The kinds of stored records that decide what is allowed: pinned definitions, accepted changes of the lock, signed-in browsers,
 * sign-in links and access tokens.
 */
export type AuthorityKind = 'pin' | 'lock' | 'sign-in' | 'sign-in-link' | 'token';

/** A stored record as an entry of the journal accounts for it. */
export interface AuthorityRecord {
  readonly kind: AuthorityKind;
  /** The server, the person or the token that it is about. */
  readonly name: string;
  /** Tells records of a kind apart without naming their key, which may be a hash of a secret. */
  readonly id: string;
  /** SHA-256 of the record as it is stored. */
  readonly digest: string;
  /** It was revoked, and is stored still. */
  readonly isRevoked?: true;
}

/** Records that decide what is allowed were stored or removed: pinned definitions, accepted locks, sign-in links, signed-in browsers. */
export interface AuthorityChanged extends Recorded {
  readonly type: 'AuthorityChanged';
  /** `carried`: the entries that accounted for them were pruned, or are of a version that wrote none. */
  readonly change: 'stored' | 'removed' | 'carried';
  readonly records: readonly AuthorityRecord[];
}

/** An entry as readers see it. */
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
