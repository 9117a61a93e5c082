import type { CatalogTool } from '../catalog/definition.ts';
import { renderName } from '../catalog/names.ts';
import type { ArgumentFacts } from '../core/calls/argument-facts.ts';
import type { CallOutcome } from '../core/calls/call-outcome.ts';
import type { CallOptions, CallResult, ToolReference } from '../core/calls/call.ts';
import type { Principal } from '../core/principal.ts';
import type { Decision } from '../core/calls/decision.ts';
import type { ChangeList } from '../core/calls/file-change.ts';
import { type CallId, newCallId } from '../core/identifiers.ts';
import type { JsonObject } from '../core/json/json.ts';
import { normalizeName } from '../core/text/normalize-name.ts';
import type { ToolId } from '../core/tools/tool.ts';
import type { Waiting } from '../journal/journal.ts';
import { recordedName } from '../journal/entries/recorded-name.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { Policy } from '../policy/policy.ts';
import type { StateChanges } from '../workspace/state-changes.ts';
import type { ExternalRun } from './begin-call.ts';

/** What an entry says of a call before it has ended. */
export interface PreparedEntry {
  readonly text: string;
  /** Its end, with which what follows may spell a secret; absent where it holds one itself. */
  readonly tail: string | undefined;
  /** How many secrets were known when it was looked at. */
  readonly secretCount: number;
}

/** A call on its way through the pipeline. One object for each call; stages fill in what they find out. */
export interface Call {
  readonly id: CallId;
  /** The tool's rendered name, and the arguments, as the caller gave them. Set by `resolve` where that is a way to call another. */
  name: string;
  rawArguments: unknown;
  /** Hash of the definition that the caller saw, if it says; another one now makes the call stale. */
  expectedHash: string | undefined;
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
  argumentsJson: JsonObject;
  argumentsText: string;
  /** Set by `validate` where the handler receives other arguments than the caller gave: those, as JSON text. */
  rawArgumentsText: string | undefined;
  /** Set by `decide`. */
  decision: Decision | undefined;
  /** Set by `decide`: the rules that count the call. */
  countingPolicy: Policy | undefined;
  /** Set with the record, where it does not hold the arguments whole. */
  argumentFacts: ArgumentFacts | undefined;
  /** Set by `approve`: the approval it runs by. */
  approval: string | undefined;
  /** Set by `approve`: the approval whose answer ends the call, and which is over with it. */
  closesApproval: string | undefined;
  /** The call whose arguments a human edited into this one. */
  readonly replaces: CallId | undefined;
  /** The human's version of the arguments: the tool receives exactly these, or the call does not run. */
  readonly editedArguments: JsonObject | undefined;
  /** Set by `approve`: what was run with edited arguments in the place of this call. */
  replacedBy: { readonly call: Call; readonly outcome: CallOutcome } | undefined;
  /** Set by `deduplicate`: the idempotency key it takes, and for which arguments. */
  idempotencyClaim: { readonly key: string; readonly fingerprint: string } | undefined;
  /** Set by `reuse`: the result is one that was given out before. */
  isCached: boolean;
  /** Set by `execute`: the tool asked its caller something, so its result depends on more than the arguments. */
  hasAskedCaller?: true;
  /** Set by `record-intent`: the tool may have begun to act. */
  isStarted: boolean;
  /** Set by `record-intent`: a read's intent, while it waits to be written. */
  pendingIntent: Waiting | undefined;
  /** Set by `record-intent` when the call took an idempotency key. */
  claimedKey: string | undefined;
  /** Set by `execute`: how often the tool was tried, and whether the way to it broke the last time. */
  attempts: number;
  isLinkBroken: boolean;
  /** Set by `execute`: what the tool says the call cost. Not part of the outcome: given out again, it costs nothing. */
  costUsd: number | undefined;
  /** Set by `execute` when the call ended before its handler did: what the handler is still doing. */
  abandonedRun: PromiseLike<unknown> | undefined;
  /** Set by `checkpoint`: what the handler changes in the session's state, for calls that can be taken back. */
  stateChanges: StateChanges | undefined;
  /** Set by `checkpoint`: what the call changed in its workspace. */
  changes: ChangeList | undefined;
  /** Set by `record-outcome` while the tool runs: what its entry will say in any case. */
  preparedEntry: PreparedEntry | undefined;
  /** Set by policy while the tool runs: the arguments as they are recorded. */
  recordedArguments: JsonObject | undefined;
  /** Set by `record-outcome`. */
  durationMs: number;
  /** Set by `record-outcome`: nothing was taken out of its record. */
  isRecordedWhole: boolean;
}

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
  return offered.workspace ?? source.limits.workspace;
}

/** Who asks when nobody is named. */
const someone: Principal = { id: 'local', kind: 'agent' };

/** A call at the head of the pipeline. */
export function createCall(
  reference: ToolReference,
  given: unknown,
  options: CallOptions,
  redactor: Redactor,
  externalRun?: ExternalRun,
): Call {
  const { session } = options;
  return {
    id: newCallId(),
    name: typeof reference === 'string' ? reference : nameOf(reference),
    rawArguments: given,
    expectedHash: options.definitionHash,
    principal: normalPrincipal(options.principal ?? someone),
    session: session === undefined ? undefined : recordedName(redactor, session) || undefined,
    options,
    deadline: options.deadline === undefined ? undefined : Number(options.deadline),
    startedAt: Date.now(),
    externalRun,
    tool: undefined,
    arguments: undefined,
    argumentsJson: {},
    argumentsText: '{}',
    rawArgumentsText: undefined,
    decision: undefined,
    countingPolicy: undefined,
    argumentFacts: undefined,
    approval: undefined,
    closesApproval: undefined,
    replaces: undefined,
    editedArguments: undefined,
    replacedBy: undefined,
    idempotencyClaim: undefined,
    isCached: false,
    abandonedRun: undefined,
    stateChanges: undefined,
    changes: undefined,
    isStarted: false,
    pendingIntent: undefined,
    claimedKey: undefined,
    attempts: 0,
    isLinkBroken: false,
    costUsd: undefined,
    preparedEntry: undefined,
    recordedArguments: undefined,
    durationMs: 0,
    isRecordedWhole: false,
  };
}

/** Names of tools by the ids in the catalog, which live as long as their tools. */
const names = new WeakMap<ToolId, string>();

function nameOf(id: ToolId): string {
  let name = names.get(id);
  if (name === undefined) names.set(id, (name = renderName(id).name));
  return name;
}

/** Not redacted, as sessions are: two principals must not become one because both names hold a secret. */
function normalPrincipal(principal: Principal): Principal {
  const id = normalizeName(principal.id, Number.POSITIVE_INFINITY);
  return id === principal.id ? principal : { ...principal, id };
}

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** What the caller gets back. */
export function toCallResult(call: Call, ended: CallOutcome): CallResult {
  const ran = call.replacedBy?.call ?? call;
  const outcome = call.replacedBy?.outcome ?? ended;
  const result: Mutable<CallResult> = { callId: ran.id, tool: ran.name, ...outcome, durationMs: ran.durationMs };
  if (ran.costUsd !== undefined) result.costUsd = ran.costUsd;
  if (ran.decision !== undefined) result.decision = ran.decision;
  if (ran.changes !== undefined) result.changes = ran.changes.changes;
  if (ran.isCached) result.cached = true;
  return result;
}
