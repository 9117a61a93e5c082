import { isDeepStrictEqual } from 'node:util';
import type { CatalogTool } from '../../catalog/catalog-tool.ts';
import { SignalboxError, messageOf } from '../../core/errors.ts';
import { newCallId } from '../../core/identifiers.ts';
import { toJsonForm } from '../../core/json/json-form.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { principalName } from '../../core/principal.ts';
import type { ApprovalRecord } from '../../journal/store/approval-store.ts';
import { type Call, CallArguments, CallRecording, CallRun, type DecidedCall } from '../call-lifecycle.ts';
import type { RevealedArguments } from '../../core/calls/approval.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { parseQuestion, parseAnswer } from './approval-view.ts';
import { hideWithOriginals, placeholderStart } from './hidden-parts.ts';

/**
 * Returns edited arguments with the hidden value of each placeholder, wherever the human left or moved it. A placeholder that stands alone
 * becomes the value itself. Throws `edit-invalid` for a placeholder that stands for no hidden value, or is used twice.
 */
export function restoreHidden(edited: JsonObject, originals: ReadonlyMap<string, JsonValue>): JsonObject {
  const left = new Map(originals);
  return restore(edited, '') as JsonObject;

  function restore(value: JsonValue, path: string): JsonValue {
    if (Array.isArray(value))
      return (value as readonly JsonValue[]).map((item, index) => restore(item, `${path}/${index}`));
    if (isJsonObject(value)) return restoreObject(value, path);
    if (typeof value !== 'string') return value;
    const original = left.get(value);
    if (original === undefined) return restoreText(value, path);
    left.delete(value);
    return original;
  }

  function restoreObject(value: JsonObject, path: string): JsonObject {
    const restored = new Map<string, JsonValue>();
    for (const [name, each] of Object.entries(value)) {
      const inside = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const restoredName = restoreText(name, inside);
      if (restored.has(restoredName)) throw editError(`two properties have the same name at ${inside}`);
      restored.set(restoredName, restore(each, inside));
    }
    return Object.fromEntries(restored);
  }

  function restoreText(value: string, path: string): string {
    if (!placeholderStart.test(value)) return value;
    const texts = value.split(/(\[[^[\]]*\])/).map((text) => {
      const original = left.get(text);
      left.delete(text);
      if (original !== undefined) return { original };
      return { text };
    });
    // Compared without the restored values, which may contain anything.
    const rest = texts.map(({ text = '' }) => text).find((text) => placeholderStart.test(text));
    if (rest !== undefined) {
      const isUsed = originals.has(rest);
      throw editError(
        `${short(rest)} at ${path} ${isUsed ? 'is used twice' : 'stands for no hidden value of this call'}`,
      );
    }
    return texts
      .map(({ text, original }) => text ?? (typeof original === 'string' ? original : JSON.stringify(original)))
      .join('');
  }
}

function editError(problem: string): SignalboxError {
  return new SignalboxError(
    'edit-invalid',
    `the edited arguments cannot run as they are: ${problem}. Reveal the arguments, then edit the shown form: each placeholder can be left, moved or removed once`,
  );
}

/**
 * Checks edited arguments against the shown ones, whose hidden values are unknown here. They may contain each placeholder of the question
 * once, and no other text that looks like a secret, because answers are stored.
 */
export function assertRestorable(
  edited: JsonObject,
  { arguments: shown, hidden }: RevealedArguments,
  redactor: Redactor,
): void {
  if (isDeepStrictEqual(edited, shown)) return;
  const placeholders = hidden.filter(({ kind }) => kind !== 'size').map(({ placeholder }) => placeholder);
  if (new Set(placeholders).size < placeholders.length || placeholders.includes(''))
    throw editError(
      'two hidden parts of this question have the same placeholder, so it can only be approved unchanged',
    );
  restoreHidden(edited, new Map(placeholders.map((placeholder) => [placeholder, placeholder])));
  // A placeholder in a name, such as `password=[redacted:password]`, must not make it the name of a secret.
  const text = placeholders.reduce(
    (rest, placeholder, index) => rest.replace(placeholder, `[redacted ${index}]`),
    JSON.stringify(edited),
  );
  const found = hideWithOriginals(text, redactor, 'everything');
  const secret = found.shown.hidden.find(({ placeholder }) => {
    const original = found.originals.get(placeholder);
    return typeof original !== 'string' || original.replaceAll(/\[redacted \d+\]/g, '') !== '';
  });
  if (secret === undefined) return;
  throw new SignalboxError(
    'edit-invalid',
    `the edited arguments contain what looks like a secret at ${secret.path}, which is never stored; use the placeholders for hidden values, or deny the call`,
  );
}

/** Returns the hidden values of a call by their placeholders in the question; none if secrets were registered since, and it would be shown differently. */
function originalsOf(call: DecidedCall, shown: JsonObject, redactor: Redactor): ReadonlyMap<string, JsonValue> {
  const hiding = hideWithOriginals(call.args.text, redactor, 'everything');
  return isDeepStrictEqual(hiding.shown.arguments, shown) ? hiding.originals : new Map();
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
  if (placeholderStart.test(JSON.stringify(edited))) return undefined;
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
export function replacementOf(
  call: DecidedCall,
  record: ApprovalRecord,
  redactor: Redactor,
): NonNullable<Call['replacement']> {
  const { arguments: shown } = parseQuestion(record);
  const { arguments: edited = {}, by } = parseAnswer(record);
  const received = JSON.parse(call.args.text) as JsonObject;
  const isUnchanged = isDeepStrictEqual(edited, shown);
  const wanted = isUnchanged ? received : restoreHidden(edited, originalsOf(call, shown, redactor));
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
