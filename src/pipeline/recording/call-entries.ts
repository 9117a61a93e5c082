import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import type { Principal } from '../../core/principal.ts';
import type { Decision } from '../../core/calls/decision.ts';
import type { ChangeList } from '../../core/calls/file-change.ts';
import { newCallId } from '../../core/identifiers.ts';
import { type JsonObject, inspectJson } from '../../core/json/json.ts';
import { renderContent } from '../../core/tools/content.ts';
import { type EntryDraft, withCounted } from '../../journal/entries/stored-entry.ts';
import { recordedName } from '../../journal/entries/recorded-name.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { Call, PreparedEntry } from '../call-lifecycle.ts';
import { argumentsDigest } from './canonical-arguments.ts';
import { hostname } from 'node:os';

/** The number of characters of an output that are recorded. */
export const maxOutputLength = 1000;
const maxChanges = 100;
const maxDiffsLength = 16 * 1024;
const maxArgumentsLength = 1024 * 1024;
const machineFact = `,"machine":${JSON.stringify(hostname())}`;

/** Returns the part of the entry that no longer changes after the tool was started; `forFacts`, with the arguments. */
export function prepareEntry(call: Call, redactor: Redactor, forFacts = false): PreparedEntry {
  const plain = facts(call);
  const hasNoSecret = redactor.isClean(plain);
  const text = hasNoSecret || !isRedacted(call, redactor) ? plain : facts(call, true);
  const tail = hasNoSecret ? text.slice(Math.max(0, text.length - redactor.maxCrossKeyLength)) : undefined;
  const args = forFacts ? recordedArguments(call) : undefined;
  return { text, tail, secretCount: redactor.registeredCount, arguments: args };
}

/** Returns the entry of an intent. */
export function intentDraft(call: Call, redactor: Redactor): EntryDraft {
  const whole = `{${(call.recording.preparedEntry ?? prepareEntry(call, redactor)).text}}`;
  const body = redactor.json(whole);
  const isWhole = body === whole && isRecordable(call.args.text);
  return draft(call, redactor, 'CallStarted', '', isWhole ? body : withFacts(call, body));
}

/** An outcome's entry. `isWhole`: it contains the call in full, nothing was redacted or truncated. */
interface OutcomeEntry {
  readonly draft: EntryDraft;
  readonly isWhole: boolean;
}

/** Returns the entry of an outcome. It contains everything about the call, so it can be read without the intent. */
export function outcomeDraft(call: Call, redactor: Redactor, outcome: CallOutcome): OutcomeEntry {
  const attempts = call.run.attempts > 1 ? `"attempts":${call.run.attempts},` : '';
  const cost = call.run.costUsd === undefined ? '' : `"costUsd":${call.run.costUsd},`;
  const rest = `${changesText(call.run.changes)},${attempts}${cost}${ending(outcome, call.recording.durationMs, redactor)}}`;
  const { preparedEntry } = call.recording;
  let whole = `{${preparedEntry?.text ?? facts(call)}${rest}`;
  let body = isClean(preparedEntry, rest, redactor) ? whole : redactor.json(whole);
  if (body !== whole && preparedEntry === undefined && isRedacted(call, redactor)) {
    whole = `{${facts(call, true)}${rest}`;
    body = redactor.json(whole);
  }
  const isWhole = body === whole && isRecordable(call.args.text);
  const made = draft(call, redactor, 'ToolInvoked', outcome.outcome, isWhole ? body : withFacts(call, body));
  // Edited arguments that could not be run would fail again, so their approval is closed and the next call asks again.
  const closed = call.edit !== undefined && !call.run.isStarted ? call.approval : call.recording.closesApproval;
  return { isWhole, draft: closed === undefined ? made : { ...made, approval: { kind: 'close', id: closed } } };
}

/** Adds the facts that rules use to an entry that does not contain the arguments in full. */
function withFacts({ evaluation, tool, args: { text } }: Call, body: string): string {
  if (evaluation === undefined || tool === undefined) return body;
  // Parsed again, because the tool may have modified its arguments.
  const args = JSON.parse(text) as JsonObject;
  return withCounted(body, evaluation.policies.policy.argumentFactsOf(tool.definition, args));
}

/** Returns whether an entry certainly contains no secret, without searching its prepared part again. */
function isClean(known: PreparedEntry | undefined, rest: string, redactor: Redactor): boolean {
  return (
    known?.tail !== undefined && known.secretCount === redactor.registeredCount && redactor.isClean(known.tail + rest)
  );
}

/** Returns whether a replay needs more than the entry, which contains a single short text itself. */
export function needsRecording(call: Call, outcome: CallOutcome): boolean {
  if (call.session === undefined || call.tool === undefined) return false;
  const { content, structuredContent, _meta, fields } = outcome;
  const [only] = content;
  const isInEntry =
    content.length === 1 &&
    only?.type === 'text' &&
    only.text.length <= maxOutputLength &&
    Object.keys(only).length === 2 &&
    structuredContent === undefined &&
    _meta === undefined &&
    fields === undefined;
  return !isInEntry;
}

/** Returns paths and kinds of the first changes, with as many diffs as fit. */
function changesText(list: ChangeList | undefined): string {
  if (list === undefined) return '';
  let room = maxDiffsLength;
  const changes = list.changes.slice(0, maxChanges).map(({ diff, ...change }) => {
    if (diff === undefined) return change;
    room -= diff.length;
    return room < 0 ? change : { ...change, diff };
  });
  const total = list.total > changes.length ? `,"changesTotal":${list.total}` : '';
  return `,"changes":${JSON.stringify(changes)}${total}`;
}

/** Returns the entry of a call that was only observed, and so has no decision. */
export function observedDraft(call: ObservedCall, redactor: Redactor): EntryDraft {
  const { tool, server, adapter, principal, outcome, durationMs } = call;
  const given = call.arguments ?? {};
  const args = inspectJson(given, maxArgumentsLength).ok ? given : {};
  const seen = JSON.stringify({ principal, arguments: args, server, adapter, observed: true });
  return {
    type: 'ToolInvoked',
    at: Date.now(),
    call: newCallId(),
    session: recordedName(redactor, call.session ?? ''),
    tool: recordedName(redactor, tool),
    outcome: outcome.outcome,
    body: redactor.json(`${seen.slice(0, -1)},${ending(outcome, durationMs, redactor)}}`),
  };
}

function ending({ content, error }: CallOutcome, durationMs: number, redactor: Redactor): string {
  const output = shortened(renderContent(content, maxOutputLength * 4), redactor);
  const ended = `"durationMs":${durationMs},"output":${JSON.stringify(output)}`;
  if (error === undefined) return ended;
  const { code, message } = error;
  return `${ended},"error":${JSON.stringify({ code, message: shortened(message, redactor) })}`;
}

function draft(
  call: Call,
  redactor: Redactor,
  type: EntryDraft['type'],
  outcome: EntryDraft['outcome'],
  body: string,
): EntryDraft {
  return {
    type,
    // An approved call starts after the answer.
    at: type === 'CallStarted' && call.approval === undefined ? call.startedAt : Date.now(),
    call: call.id,
    session: call.session ?? '',
    tool: call.tool?.definition.name ?? recordedName(redactor, call.name),
    outcome,
    body,
  };
}

/** Returns whether the entry needs a digest of the arguments, as evidence of what ran. Reads change nothing and go without. */
function needsDigest({ tool, args }: Call): boolean {
  if (tool === undefined) return false;
  return tool.definition.effect !== 'read' || args.text.length > maxArgumentsLength;
}

function isRedacted({ args }: Call, redactor: Redactor): boolean {
  const recorded = recordableArguments(args.text);
  return redactor.json(recorded) !== recorded;
}

// Built as text, because the arguments are JSON text already and need not be serialized again.
function facts(call: Call, hasDigest = needsDigest(call)): string {
  const { tool, decision } = call;
  let body = `"principal":${JSON.stringify(call.principal)},"arguments":${recordableArguments(call.args.text)}`;
  if (call.args.rawText !== undefined) body += `,"givenArguments":${recordableArguments(call.args.rawText)}`;
  if (tool !== undefined)
    body += `,"server":"${tool.source.server}","adapter":"${tool.source.adapter}","effect":"${tool.definition.effect}","definitionHash":"${tool.definition.definitionHash}"`;
  if (tool?.naming !== undefined) body += `,${JSON.stringify(tool.naming).slice(1, -1)}`;
  if (tool?.offered.undo !== undefined) body += ',"ownUndo":true';
  if (tool?.offered.uncounted === true) body += ',"uncounted":true';
  if (tool?.definition.effect === 'undoable') body += machineFact;
  if (tool !== undefined && tool.definition.labels.length > 0)
    body += `,"labels":${JSON.stringify(tool.definition.labels)}`;
  if (decision !== undefined) body += `,"decision":${decisionText(decision)}`;
  if (hasDigest) body += `,"argumentsHash":"${argumentsDigest(call.args.text)}"`;
  if (call.run.isCached) body += ',"cached":true';
  if (call.options.idempotencyKey !== undefined)
    body += `,"idempotencyKey":${JSON.stringify(call.options.idempotencyKey)}`;
  if (call.approval !== undefined) body += `,"approvalId":"${call.approval}"`;
  if (call.edit !== undefined) body += `,"replaces":"${call.edit.replaces}"`;
  return body;
}

function isRecordable(given: string): boolean {
  return given.length <= maxArgumentsLength;
}

/** Returns arguments for an entry, or a placeholder when they are too long. */
export function recordableArguments(given: string): string {
  if (isRecordable(given)) return given;
  return JSON.stringify({ '…': `${given.length} characters of arguments, too many to record` });
}

/** Parses the recorded arguments from their text, because the tool may have modified the arguments that it received. */
export function recordedArguments({ args }: Call): JsonObject {
  return JSON.parse(recordableArguments(args.text)) as JsonObject;
}

/** Redacts a text before it is cut, because half a secret would not be recognized. An uncut text is redacted with the entry. */
function shortened(value: string, redactor: Redactor): string {
  if (value.length <= maxOutputLength) return value;
  const safe = redactor.text(value);
  return safe.length <= maxOutputLength
    ? safe
    : `${safe.slice(0, maxOutputLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

const decisionTexts = new WeakMap<Decision, string>();

/** Cached, because policies return the same decision objects repeatedly. */
function decisionText(decision: Decision): string {
  let known = decisionTexts.get(decision);
  if (known === undefined) decisionTexts.set(decision, (known = JSON.stringify(decision)));
  return known;
}

/** A call that bypassed the pipeline and was only observed. */
export interface ObservedCall {
  /** The rendered name of the tool. */
  readonly tool: string;
  readonly server: string;
  /** The adapter of the server, such as `mcp:files`. */
  readonly adapter: string;
  readonly principal: Principal;
  readonly session?: string;
  readonly arguments: unknown;
  readonly outcome: CallOutcome;
  readonly durationMs: number;
}
