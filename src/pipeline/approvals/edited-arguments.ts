import { isDeepStrictEqual } from 'node:util';
import type { CatalogTool } from '../../catalog/catalog-tool.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { newCallId } from '../../core/identifiers.ts';
import { toJsonForm } from '../../core/json/json-form.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { principalName } from '../../core/principal.ts';
import type { ApprovalRecord } from '../../journal/store/approval-store.ts';
import { type Call, CallArguments, CallRecording, CallRun, type DecidedCall } from '../call-lifecycle.ts';
import { parseQuestion, parseAnswer } from './approval-view.ts';

/**
 * Returns edited arguments with the original values, including secrets, wherever the human left the displayed value unchanged. Throws
 * `edit-invalid` for a redacted value that was moved or changed.
 */
export function restoreRedacted(edited: JsonValue, shown: JsonValue | undefined, original: JsonValue): JsonValue {
  if (isDeepStrictEqual(edited, shown)) return original;
  if (isJsonObject(edited)) {
    const entries = Object.entries(edited).map(([key, value]) => [key, restoreRedacted(value, ...at(key))]);
    return Object.fromEntries(entries) as JsonObject;
  }
  if (Array.isArray(edited))
    return (edited as readonly JsonValue[]).map((value, index) => restoreRedacted(value, ...at(String(index))));
  if (typeof edited === 'string' && looksRedacted(edited)) {
    throw new SignalboxError(
      'edit-invalid',
      'a redacted value can be left where it is or replaced, not moved or changed in part',
    );
  }
  return edited;

  function at(key: string): [JsonValue | undefined, JsonValue] {
    return [child(shown, key), child(original, key) ?? null];
  }
}

function looksRedacted(value: string): boolean {
  return /\[(redacted|●)/.test(value);
}

/**
 * Converts edited arguments back to the form of a caller. Unchanged parts are as the caller sent them, or absent when they were
 * filled in, so that defaults, configured values and transforms apply to them again.
 */
function toCallerForm(edited: JsonObject, received: JsonObject, given: JsonObject): JsonObject {
  const entries = Object.entries(edited).flatMap(([name, value]) => {
    const part = partToCallerForm(value, child(received, name), child(given, name));
    return part === undefined ? [] : [[name, part] as const];
  });
  return Object.fromEntries(entries);
}

function partToCallerForm(
  edited: JsonValue,
  received: JsonValue | undefined,
  given: JsonValue | undefined,
): JsonValue | undefined {
  if (isDeepStrictEqual(edited, received)) return given;
  const isObject = isJsonObject(edited) && isJsonObject(received) && isJsonObject(given);
  return isObject ? toCallerForm(edited, received, given) : edited;
}

/** Describes an edit for the model: `amount: 5 → 3`. */
function describeEdit(shown: JsonObject, edited: JsonObject): string {
  const names = [...new Set([...Object.keys(shown), ...Object.keys(edited)])];
  const changed = names.filter((name) => !isDeepStrictEqual(shown[name], edited[name]));
  if (changed.length === 0) return 'nothing was changed';
  return changed.map((name) => `${name}: ${short(shown[name])} → ${short(edited[name])}`).join('; ');
}

function child(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as JsonObject)[key];
}

function short(value: JsonValue | undefined): string {
  if (value === undefined) return '(none)';
  const text = JSON.stringify(value);
  return text.length <= 200 ? text : `${text.slice(0, 199).toWellFormed()}…`;
}

/** The arguments of a waiting call: as its tool would receive them, and as its caller sent them. */
interface WaitingArguments {
  readonly received: JsonObject;
  readonly given: JsonObject;
}

/**
 * Returns the reason why a tool would not run with exactly these edited arguments, as far as it can be determined without the call.
 * Hidden values are checked when the call runs.
 */
export async function editProblem(
  { definition, offered, fillDefaults }: CatalogTool,
  edited: JsonObject,
  { received, given }: WaitingArguments,
): Promise<string | undefined> {
  if (looksRedacted(JSON.stringify(edited))) return undefined;
  try {
    const callerForm = structuredClone(toCallerForm(edited, received, given));
    fillDefaults?.(callerForm);
    const parsed = await offered.parse(callerForm);
    if (parsed.ok) return mismatchOf(edited, parsed.value);
    const problems = parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
    return `they do not match the schema of ${definition.name}: ${problems}`;
  } catch (error) {
    return messageOf(error);
  }
}

/** Describes how the arguments that a tool would receive differ from those that a human approved; returns `undefined` when they do not. */
export function mismatchOf(wanted: JsonObject, received: unknown): string | undefined {
  const image = toJsonForm(received);
  if (image.ok && isDeepStrictEqual(image.json, JSON.parse(JSON.stringify(wanted)))) return undefined;
  const shown = image.ok ? JSON.stringify(image.json).slice(0, 1000) : image.problem;
  return `defaults, configured values or the tool's schema would turn them into ${shown}; approve that version, or edit again`;
}

/**
 * Returns the call with the arguments that a human edited, and a note about the edit. The call is validated and decided like any
 * other, and uses the same approval.
 */
export function replacementOf(call: DecidedCall, record: ApprovalRecord): NonNullable<Call['replacement']> {
  const { arguments: shown } = parseQuestion(record);
  const { arguments: edited = {}, by } = parseAnswer(record);
  const received = JSON.parse(call.args.text) as JsonObject;
  const wanted = restoreRedacted(edited, shown, received) as JsonObject;
  const raw = call.args.rawText === undefined ? received : (JSON.parse(call.args.rawText) as JsonObject);
  const replacing: Call = {
    ...call,
    id: newCallId(),
    args: new CallArguments(toCallerForm(wanted, received, raw)),
    run: new CallRun(),
    recording: new CallRecording(),
    startedAt: Date.now(),
    tool: undefined,
    decision: undefined,
    evaluation: undefined,
    approval: record.id,
    edit: { replaces: call.id, arguments: wanted },
  };
  const edit = describeEdit(shown, edited);
  return {
    call: replacing,
    note: `${principalName(by)} edited the arguments of ${call.name} before approving it (${edit}).`,
  };
}
