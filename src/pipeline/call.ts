import type { CatalogTool } from '../catalog/definition.ts';
import type { Waiting } from '../journal/journal.ts';
import type { CallOptions, Principal } from '../core/calls/call.ts';
import type { CallOutcome } from 'src/core/calls/call-outcome.ts';
import type { Decision } from '../core/calls/decision.ts';
import type { ChangeList } from '../core/calls/file-change.ts';
import type { CallId } from '../core/identifiers.ts';
import type { CountedArguments } from '../core/calls/argument-facts.ts';
import type { JsonObject } from '../core/json/json.ts';
import type { Policy } from '../policy/policy.ts';
import type { StateChanges } from '../workspace/state-changes.ts';
import type { ExternalRun } from './begin-call.ts';

/** What an entry says of a call before it has ended. */
export interface KnownFacts {
  readonly text: string;
  /** Its end, with which what follows may spell a secret; absent where it holds one itself. */
  readonly seam: string | undefined;
  /** How many secrets were known when it was looked at. */
  readonly registered: number;
}

/** A call on its way through the pipeline. One object for each call; stages fill in what they find out. */
export interface Call {
  readonly id: CallId;
  /** The tool's rendered name, and the arguments, as the caller gave them. Set by `resolve` where that is a way to call another. */
  name: string;
  given: unknown;
  /** Hash of the definition that the caller saw, if it says; another one now makes the call stale. */
  pinned: string | undefined;
  /** Who asks, under its normalized name. */
  readonly principal: Principal;
  /** The session, under the name that the journal records. */
  readonly session: string | undefined;
  readonly options: CallOptions;
  /** When the caller wants it ended, in milliseconds since 1970. */
  readonly deadline: number | undefined;
  readonly startedAt: number;
  /** Present where the caller runs the tool itself: see `beginCall`. */
  readonly externalRun: ExternalRun | undefined;
  /** Set by `resolve`: the tool, pinned for the rest of the call. */
  tool: CatalogTool | undefined;
  /** Set by `validate`: the arguments that the handler receives, after defaults, configured values and transforms. */
  arguments: unknown;
  /** Set by `validate`: the same as JSON, for everybody but the handler; and as JSON text. */
  image: JsonObject;
  argumentsText: string;
  /** Set by `validate` where the handler receives other arguments than the caller gave: those, as JSON text. */
  givenText: string | undefined;
  /** Set by `decide`. */
  decision: Decision | undefined;
  /** Set by `decide`: the rules that count the call. */
  countedBy: Policy | undefined;
  /** Set with the record, where it does not hold the arguments whole. */
  counted: CountedArguments | undefined;
  /** Set by `approve`: the approval it runs by. */
  approval: string | undefined;
  /** Set by `approve`: the approval whose answer ends the call, and which is over with it. */
  told: string | undefined;
  /** The call whose arguments a human edited into this one. */
  readonly replaces: CallId | undefined;
  /** The human's version of the arguments: the tool receives exactly these, or the call does not run. */
  readonly wanted: JsonObject | undefined;
  /** Set by `approve`: what was run with edited arguments in the place of this call. */
  replacedBy: { readonly call: Call; readonly outcome: CallOutcome } | undefined;
  /** Set by `deduplicate`: the idempotency key it takes, and for which arguments. */
  claim: { readonly key: string; readonly fingerprint: string } | undefined;
  /** Set by `reuse`: the result is one that was given out before. */
  cached: boolean;
  /** Set by `execute`: the tool asked its caller something, so its result depends on more than the arguments. */
  asked?: true;
  /** Set by `record-intent`: the tool may have begun to act. */
  started: boolean;
  /** Set by `record-intent`: a read's intent, while it waits to be written. */
  intent: Waiting | undefined;
  /** Set by `record-intent` when the call took an idempotency key. */
  claimed: string | undefined;
  /** Set by `execute`: how often the tool was tried, and whether the way to it broke the last time. */
  attempts: number;
  broken: boolean;
  /** Set by `execute`: what the tool says the call cost. Not part of the outcome: given out again, it costs nothing. */
  costUsd: number | undefined;
  /** Set by `execute` when the call ended before its handler did: what the handler is still doing. */
  running: PromiseLike<unknown> | undefined;
  /** Set by `checkpoint`: what the handler changes in the session's state, for calls that can be taken back. */
  stateChanges: StateChanges | undefined;
  /** Set by `checkpoint`: what the call changed in its workspace. */
  changes: ChangeList | undefined;
  /** Set by `record-outcome` while the tool runs: what its entry will say in any case. */
  known: KnownFacts | undefined;
  /** Set by policy while the tool runs: the arguments as they are recorded. */
  recordedArguments: JsonObject | undefined;
  /** Set by `record-outcome`. */
  durationMs: number;
  /** Set by `record-outcome`: nothing was taken out of its record. */
  isRecordedWhole: boolean;
}

/** An outcome, now or later. Stages that need not wait do not: each promise in the chain costs every call. */
export type Outcoming = CallOutcome | Promise<CallOutcome>;

/** What comes after a stage. */
export type Next = (call: Call) => Outcoming;

/** One step of the pipeline: does its part, calls `next` or not, and passes the outcome on. */
export type Stage = (call: Call, next: Next) => Outcoming;

/** The tool of a call that `resolve` let through. */
export function toolOf(call: Call): CatalogTool {
  if (call.tool === undefined)
    throw new Error(`call ${call.id} reached a stage that needs a tool before it was resolved`);
  return call.tool;
}

/** Returns the directories that the tool of a call writes to; `undefined` where none are declared. */
export function workspaceOf(call: Call): readonly string[] | undefined {
  const { offered, source } = toolOf(call);
  if (call.externalRun?.workspace !== undefined) return call.externalRun.workspace;
  return offered.workspaceOf?.(call.principal) ?? offered.workspace ?? source.limits.workspace;
}
