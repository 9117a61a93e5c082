import type { CatalogTool } from '../catalog/catalog-tool.ts';
import { renderName } from '../core/tools/tool-names.ts';
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
import type { PolicySet } from './policies/session-facts.ts';

/** The part of a journal entry that is known while the tool runs. */
export interface PreparedEntry {
  readonly text: string;
  /** The end of the text, which may form a secret together with the text that follows; `undefined` when the text itself contains a secret. */
  readonly tail: string | undefined;
  /** The number of registered secrets when the text was checked. */
  readonly secretCount: number;
  /** The arguments as recorded, for the facts of policies. */
  readonly arguments: JsonObject | undefined;
}

/** An idempotency key, scoped to principal and tool, and a digest of the arguments that it was used for. */
export interface IdempotencyClaim {
  readonly key: string;
  readonly fingerprint: string;
}

const defaultPrincipal: Principal = { id: 'local', kind: 'agent' };

/** The arguments of a call. */
export class CallArguments {
  /** As the caller gave them. */
  raw: unknown;
  /** As the handler receives them, after defaults, configured values and transforms. */
  value: unknown;
  /** As JSON, for everything except the handler. */
  json: JsonObject | undefined;
  /** As JSON text. */
  text = '{}';
  /** The caller's arguments as JSON text, when the handler receives different ones. */
  rawText: string | undefined;

  constructor(raw: unknown) {
    this.raw = raw;
  }
}

/** The progress of a call's tool. */
export class CallRun {
  /** Whether the tool may have begun to act. */
  isStarted = false;
  attempts = 0;
  /** Whether the connection to the server broke in the last attempt. */
  isLinkBroken = false;
  /** The reason why the outcome of an attempt is unknown: the connection broke after it had reached the server. */
  lostAttempt: string | undefined;
  /** Whether the tool asked its caller something, so that its result depends on more than the arguments. */
  hasAskedCaller = false;
  /** The unfinished work of the handler when the call ended before it. */
  abandoned: PromiseLike<unknown> | undefined;
  /** The handler's changes to the session's state, for calls that can be undone. */
  stateChanges: StateChanges | undefined;
  /** The changes of the call in its workspace. */
  changes: ChangeList | undefined;
  /** The cost that the tool reported. Not part of the outcome: a cached result costs nothing. */
  costUsd: number | undefined;
  /** Whether the result comes from the cache. */
  isCached = false;
}

/** The record of a call, until it is written. */
export class CallRecording {
  /** The intent of a read, while it waits to be written. */
  pendingIntent: PendingEntry | undefined;
  /** The idempotency key that the written intent has taken. */
  claimedKey: string | undefined;
  preparedEntry: PreparedEntry | undefined;
  /** The approval that is closed with this call, because its answer ended the call. */
  closesApproval: string | undefined;
  durationMs = 0;
}

/**
 * A call in the pipeline: one mutable object from beginning to end, so that a stage allocates nothing. Stages access it through the following
 * types, which describe its progress:
 *
 *     Call → ResolvedCall → PreparedCall → DecidedCall → AdmittedCall → CallOutcome
 *
 * Only the outermost stages (`observe`, `recordOutcome`) and the result access it as `Call`, whose fields are undefined when the
 * call ended before the stage that sets them.
 */
export class Call {
  readonly id: CallId = newCallId();
  /** The tool's rendered name as requested; after `resolve`, that of the tool it resolved to. */
  name: string;
  /** Hash of the definition that the caller saw. The call is stale when the tool's definition has changed. */
  expectedHash: string | undefined;
  /** The caller, under its normalized id. */
  readonly principal: Principal;
  /** The session, under the name that the journal records. */
  readonly session: string | undefined;
  readonly options: CallOptions;
  /** In milliseconds since 1970. */
  readonly deadline: number | undefined;
  readonly startedAt: number = Date.now();
  /** Present when the caller runs the tool itself: see `beginCall`. */
  readonly externalRun: ExternalRun | undefined;
  /** Present when a human edited the arguments of another call into this one. The tool receives exactly these, or the call does not run. */
  readonly edit: { readonly replaces: CallId; readonly arguments: JsonObject } | undefined;

  /** Set by `resolve`. */
  tool: CatalogTool | undefined;
  /** Set by `validate`. */
  readonly args: CallArguments;
  /** Set by `deduplicate`. */
  idempotencyClaim: IdempotencyClaim | undefined;
  /** Set by `decide`. */
  decision: Decision | undefined;
  /** The policies that made the decision, with their input; `undefined` when the default policy decided. */
  evaluation: { readonly policies: PolicySet; readonly input: PolicyInput } | undefined;
  /** The approval that admits the call. Set by `approve`. */
  approval: string | undefined;
  /** The call that replaces this one, because a human edited its arguments. Set by `approve`. */
  replacement: { readonly call: Call; readonly note: string } | undefined;
  /** Set by `execute` and the stages around it. */
  readonly run: CallRun = new CallRun();
  /** Set by `recordIntent` and `recordOutcome`. */
  readonly recording: CallRecording = new CallRecording();

  constructor(
    reference: ToolReference,
    given: unknown,
    options: CallOptions,
    redactor: Redactor,
    externalRun?: ExternalRun,
  ) {
    const { session } = options;
    this.name = typeof reference === 'string' ? reference : nameOf(reference);
    this.args = new CallArguments(given);
    this.expectedHash = options.definitionHash;
    this.principal = normalPrincipal(options.principal ?? defaultPrincipal);
    this.session = session === undefined ? undefined : recordedName(redactor, session) || undefined;
    this.options = options;
    this.deadline = options.deadline === undefined ? undefined : Number(options.deadline);
    this.externalRun = externalRun;
  }
}

/** A call of a tool that exists, is visible to the caller, and has the definition that the caller saw. */
export interface ResolvedCall extends Call {
  tool: CatalogTool;
}

/** A call with valid, final arguments. */
export interface PreparedCall extends ResolvedCall {
  readonly args: CallArguments & { json: JsonObject };
}

/** A call that policy allows, or that needs a human's approval. */
export interface DecidedCall extends PreparedCall {
  decision: Decision;
}

/** A call that is allowed or approved, and whose intent is recorded. */
export interface AdmittedCall extends DecidedCall {
  readonly run: CallRun & { isStarted: true };
}

/** Returns the directories that the tool of a call writes to; `undefined` when none are declared. */
export function workspaceOf({ tool, externalRun }: ResolvedCall): readonly string[] | undefined {
  return externalRun?.workspace ?? tool.offered.workspace ?? tool.source.limits.workspace;
}

/** Returns the time limit of a tool: its own, that of its server, or the default. */
export function timeoutOf({ definition, source }: CatalogTool, defaultMs: number): number {
  return definition.timeoutMs ?? source.limits.timeoutMs ?? defaultMs;
}

/**
 * Returns the message for a call whose last attempt did not reach the server. An earlier attempt may have run, for calls that are
 * retried.
 */
export function notRunMessage({ name, run: { lostAttempt } }: Call, why: string): string {
  return lostAttempt === undefined
    ? `${name} was not run: ${why}`
    : `${name} may have run: ${lostAttempt}; a later attempt did not reach the server: ${why}`;
}

/** Cached names of tools by their ids in the catalog. */
const names = new WeakMap<ToolId, string>();

function nameOf(id: ToolId): string {
  let name = names.get(id);
  if (name === undefined) names.set(id, (name = renderName(id).name));
  return name;
}

/** Normalizes a principal. Unlike names of sessions, its id is not redacted, because two ids that contain a secret must stay distinct. */
function normalPrincipal(principal: Principal): Principal {
  const id = normalizeName(principal.id, Number.POSITIVE_INFINITY);
  return id === principal.id ? principal : { ...principal, id };
}

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** Returns the result that the caller of an ended call receives. */
export function toCallResult(call: Call, outcome: CallOutcome): CallResult {
  const result: Mutable<CallResult> = {
    callId: call.id,
    tool: call.name,
    ...outcome,
    durationMs: call.recording.durationMs,
  };
  if (call.run.costUsd !== undefined) result.costUsd = call.run.costUsd;
  if (call.decision !== undefined) result.decision = call.decision;
  if (call.run.changes !== undefined) result.changes = call.run.changes.changes;
  if (call.run.isCached) result.cached = true;
  return result;
}
