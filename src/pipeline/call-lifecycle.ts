import type { CatalogTool } from '../catalog/catalog-tool.ts';
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
import type { PendingEntry } from '../journal/journal.ts';
import { recordedName } from '../journal/entries/recorded-name.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { PolicyInput } from '../policy/policy.ts';
import type { StateChanges } from '../workspace/state-changes.ts';
import type { ExternalRun } from './begin-call.ts';
import type { PolicySet } from './policies/policy-set.ts';

/** A request to run one tool: who calls it, with which arguments, on which conditions. */
export interface CallRequest {
  readonly id: CallId;
  /** The tool's rendered name as requested; after `resolve`, that of the tool it resolved to. */
  name: string;
  /** The arguments as the caller gave them. */
  rawArguments: unknown;
  /** Hash of the definition that the caller saw. The call is stale when the tool has another one now. */
  expectedHash: string | undefined;
  /** The caller, under its normalized id. */
  readonly principal: Principal;
  /** The session, under the name that the journal records. */
  readonly session: string | undefined;
  readonly options: CallOptions;
  /** In milliseconds since 1970. */
  readonly deadline: number | undefined;
  readonly startedAt: number;
  /** Present when the caller runs the tool itself: see `beginCall`. */
  readonly externalRun: ExternalRun | undefined;
  /** The call whose arguments a human edited into this one. */
  readonly replaces: CallId | undefined;
  /** The arguments as a human edited them. The tool receives exactly these, or the call does not run. */
  readonly editedArguments: JsonObject | undefined;
}

/** The run of a tool, as far as it has come. */
interface CallRun {
  /** Whether the tool may have begun to act. */
  isStarted: boolean;
  attempts: number;
  /** Whether the connection to the server broke in the last attempt. */
  isLinkBroken: boolean;
  /** Whether the tool asked its caller something, so that its result depends on more than the arguments. */
  hasAskedCaller: boolean;
  /** What the handler is still doing when the call ended before it. */
  abandonedRun: PromiseLike<unknown> | undefined;
  /** What the handler changes in the session's state, for calls that can be undone. */
  stateChanges: StateChanges | undefined;
  /** What the call changed in its workspace. */
  changes: ChangeList | undefined;
  /** The cost that the tool reported. Not part of the outcome: a cached result costs nothing. */
  costUsd: number | undefined;
  /** Whether the result comes from the cache. */
  isCached: boolean;
}

/** The part of a journal entry that is known while the tool runs. */
export interface PreparedEntry {
  readonly text: string;
  /** The end of the text, which together with what follows may spell a secret; `undefined` when the text holds one itself. */
  readonly tail: string | undefined;
  /** How many secrets were registered when the text was searched for them. */
  readonly secretCount: number;
}

/** The journal entries of a call, as far as they are prepared or written. */
interface CallRecord {
  /** The intent of a read, while it waits to be written. */
  pendingIntent: PendingEntry | undefined;
  /** The idempotency key that the written intent has taken. */
  claimedKey: string | undefined;
  preparedEntry: PreparedEntry | undefined;
  recordedArguments: JsonObject | undefined;
  /** The facts that rules use, when the entry does not hold the arguments whole. */
  argumentFacts: ArgumentFacts | undefined;
  /** Whether the outcome's entry holds the call whole: nothing was redacted or cut. */
  isRecordedWhole: boolean;
  /** The approval that is over with this call, because its answer ended the call. */
  closesApproval: string | undefined;
  durationMs: number;
}

/** An idempotency key, scoped to principal and tool, and a digest of the arguments that it was used for. */
export interface IdempotencyClaim {
  readonly key: string;
  readonly fingerprint: string;
}

/**
 * A call in the pipeline: one mutable object from beginning to end, so that stages allocate nothing. The types that follow describe how
 * far it has come, and are all that the stages see of it:
 *
 *     Call → ResolvedCall → PreparedCall → DecidedCall → AdmittedCall → CallOutcome
 *
 * Only the stages around all others (`observe`, `recordOutcome`) and the result read it as `Call`, whose fields are undefined when the
 * call ended before the stage that sets them.
 */
export interface Call extends CallRequest, CallRun, CallRecord {
  tool: CatalogTool | undefined;
  /** The arguments that the handler receives, after defaults, configured values and transforms. */
  arguments: unknown;
  /** The same as JSON, for everything but the handler. */
  argumentsJson: JsonObject | undefined;
  /** The same as JSON text. */
  argumentsText: string;
  /** The caller's arguments as JSON text, when the handler receives different ones. */
  rawArgumentsText: string | undefined;
  idempotencyClaim: IdempotencyClaim | undefined;
  decision: Decision | undefined;
  /** The policies that made the decision and what they were given; `undefined` when the default policy did. */
  policies: PolicySet | undefined;
  policyInput: PolicyInput | undefined;
  /** The approval that admits the call. */
  approval: string | undefined;
  /** The call that takes the place of this one, because a human edited its arguments. */
  replacement: { readonly call: Call; readonly note: string } | undefined;
}

/** A call of a tool that exists, is visible to the caller, and has the definition that the caller saw. */
export interface ResolvedCall extends Call {
  tool: CatalogTool;
}

/** A call with valid, final arguments. */
export interface PreparedCall extends ResolvedCall {
  argumentsJson: JsonObject;
}

/** A call that policy allows, or that a human is to be asked about. */
export interface DecidedCall extends PreparedCall {
  decision: Decision;
}

/** A call that is allowed or approved, and whose intent is recorded. */
export interface AdmittedCall extends DecidedCall {
  isStarted: true;
}

/** Returns the directories that the tool of a call writes to; `undefined` when none are declared. */
export function workspaceOf({ tool, externalRun }: ResolvedCall): readonly string[] | undefined {
  return externalRun?.workspace ?? tool.offered.workspace ?? tool.source.limits.workspace;
}

/** The caller when the host names none. */
const defaultPrincipal: Principal = { id: 'local', kind: 'agent' };

/** Creates a call, as it enters the pipeline. */
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
    principal: normalPrincipal(options.principal ?? defaultPrincipal),
    session: session === undefined ? undefined : recordedName(redactor, session) || undefined,
    options,
    deadline: options.deadline === undefined ? undefined : Number(options.deadline),
    startedAt: Date.now(),
    externalRun,
    replaces: undefined,
    editedArguments: undefined,
    tool: undefined,
    arguments: undefined,
    argumentsJson: undefined,
    argumentsText: '{}',
    rawArgumentsText: undefined,
    idempotencyClaim: undefined,
    decision: undefined,
    policies: undefined,
    policyInput: undefined,
    approval: undefined,
    replacement: undefined,
    isStarted: false,
    attempts: 0,
    isLinkBroken: false,
    hasAskedCaller: false,
    abandonedRun: undefined,
    stateChanges: undefined,
    changes: undefined,
    costUsd: undefined,
    isCached: false,
    pendingIntent: undefined,
    claimedKey: undefined,
    preparedEntry: undefined,
    recordedArguments: undefined,
    argumentFacts: undefined,
    isRecordedWhole: false,
    closesApproval: undefined,
    durationMs: 0,
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

/** Returns what the caller receives of a call that has ended. */
export function toCallResult(call: Call, outcome: CallOutcome): CallResult {
  const result: Mutable<CallResult> = { callId: call.id, tool: call.name, ...outcome, durationMs: call.durationMs };
  if (call.costUsd !== undefined) result.costUsd = call.costUsd;
  if (call.decision !== undefined) result.decision = call.decision;
  if (call.changes !== undefined) result.changes = call.changes.changes;
  if (call.isCached) result.cached = true;
  return result;
}
