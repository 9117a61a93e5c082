import type { MaybePromise } from '../../core/async/maybe-promise.ts';
import { isDeepStrictEqual } from 'node:util';
import type { ParsedArguments } from '../../catalog/source/source.ts';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import { messageOf } from '../../core/errors.ts';
import { closestMatch } from '../../core/text/closest-match.ts';
import { type JsonObject, type JsonValue, inspectJson, isJsonObject } from '../../core/json/json.ts';
import { type JsonForm, toJsonForm, plainCopy } from '../../core/json/json-form.ts';
import { mismatchOf } from '../approvals/edited-arguments.ts';
import type { PreparedCall, ResolvedCall } from '../call-lifecycle.ts';
import type { Next, Stage } from '../stage.ts';

const maxArgumentsSize = 64 * 1024 * 1024;

/**
 * Fills in defaults, checks the arguments against the tool's own schema and applies its transforms, once. The later stages use the
 * result: policy, approvals, idempotency keys and the journal see its JSON form, and the handler gets the value itself.
 */
export const validate: Stage<ResolvedCall, PreparedCall> = (call, next) => {
  const given: unknown = (call.args.raw ??= {});
  const problem = jsonProblem(given);
  if (problem !== undefined)
    return failedOutcome(
      'failed',
      'arguments-invalid',
      `the arguments of ${call.name} are not a JSON object: ${problem}`,
    );
  const input = new Input(call, given as JsonObject);
  try {
    const parsing = call.tool.offered.parse(input.value);
    if (!(parsing instanceof Promise)) return proceed(call, next, input, parsing);
    return parsing.then(
      (parsed) => proceed(call, next, input, parsed),
      (error: unknown) => checkFailed(call, input, error),
    );
  } catch (error) {
    return checkFailed(call, input, error);
  }
};

/** The arguments before the tool's schema is applied. */
class Input {
  /** The arguments with the defaults of required arguments. */
  readonly value: JsonObject;
  /** The arguments as the caller gave them, as JSON text. */
  readonly givenText: string;

  constructor(call: ResolvedCall, given: JsonObject) {
    const { definition, fillDefaults } = call.tool;
    // Read once: a getter can return something else each time, and the caller may change its object while the call waits.
    this.givenText = JSON.stringify(given);
    this.value = JSON.parse(this.givenText) as JsonObject;
    if (fillDefaults === undefined && definition.effect === 'read') call.args.raw = this.value;
    fillDefaults?.(this.value);
  }
}

function proceed(
  call: ResolvedCall,
  next: Next<PreparedCall>,
  input: Input,
  parsed: ParsedArguments,
): MaybePromise<CallOutcome> {
  if (!parsed.ok) {
    call.args.text = input.givenText;
    const list = [
      ...parsed.problems.map(({ path, message }) => `${path}: ${message}`),
      ...misspelled(call, input.value),
    ].join('; ');
    return failedOutcome(
      'failed',
      'arguments-invalid',
      `the arguments of ${call.name} do not match its schema: ${list}`,
    );
  }
  const { value } = parsed;
  call.args.value = value;
  // Most schemas only validate. The text is created after that, so that it matches what the handler receives.
  if (value === call.args.raw) {
    call.args.json = value as JsonObject;
    call.args.text = JSON.stringify(value);
  } else {
    const problem = setChangedArguments(call, input, value);
    if (problem !== undefined) return failedOutcome('failed', 'arguments-invalid', problem);
  }
  const mismatch = call.edit === undefined ? undefined : mismatchOf(call.edit.arguments, call.args.json);
  if (mismatch === undefined) return next(call as PreparedCall);
  return failedOutcome('failed', 'arguments-invalid', `the edited arguments of ${call.name} were not run: ${mismatch}`);
}

/** Returns a suggestion for each argument that the schema does not name and that resembles one that is absent. */
function misspelled({ tool }: ResolvedCall, given: JsonObject): string[] {
  const { inputSchema } = tool.definition;
  const properties = typeof inputSchema === 'object' ? inputSchema['properties'] : undefined;
  if (!isJsonObject(properties)) return [];
  const absent = Object.keys(properties).filter((name) => !Object.hasOwn(given, name));
  return Object.keys(given).flatMap((name) => {
    const meant = Object.hasOwn(properties, name) ? undefined : closestMatch(name, absent);
    return meant === undefined ? [] : [`did you mean "${meant}" instead of ${JSON.stringify(name.slice(0, 128))}?`];
  });
}

/** Sets arguments that the schema has changed. Returns the problem when they cannot be represented as JSON. */
function setChangedArguments(call: ResolvedCall, input: Input, value: unknown): string | undefined {
  const { givenText } = input;
  call.args.text = givenText;
  // The handler receives a copy: a getter or a proxy could return other values when it is read again.
  const copy = value === input.value ? input.value : plainCopy(value);
  const text = copy === undefined ? undefined : JSON.stringify(copy);
  if (text === givenText) {
    call.args.value = copy;
    call.args.json = input.value;
    return undefined;
  }
  const image: JsonForm =
    text === undefined ? toJsonForm(value) : { ok: true, json: JSON.parse(text) as JsonValue, value: copy };
  const json = image.ok ? image.json : undefined;
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  if (!image.ok || !isObject) {
    const why = image.ok ? 'not an object' : `${image.problem} (at ${image.path})`;
    return `the schema of ${call.name} turns its arguments into something that policy and journal cannot show: ${why}`;
  }
  call.args.value = image.value;
  call.args.json = json as JsonObject;
  call.args.text = JSON.stringify(json);
  if (call.args.text.length > maxArgumentsSize) return `the schema of ${call.name} makes its arguments too large`;
  // The order of keys is insignificant.
  if (!isDeepStrictEqual(JSON.parse(givenText), JSON.parse(call.args.text))) call.args.rawText = givenText;
  return undefined;
}

function checkFailed(call: ResolvedCall, input: Input, error: unknown): CallOutcome {
  call.args.text = input.givenText;
  const message = `the arguments of ${call.name} could not be checked: ${messageOf(error)}`;
  return failedOutcome('failed', 'arguments-invalid', message);
}

function jsonProblem(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return `expected an object, found ${Array.isArray(given) ? 'an array' : `a ${typeof given}`}`;
  }
  const inspection = inspectJson(given, maxArgumentsSize);
  return inspection.ok ? undefined : `${inspection.problem} (at ${inspection.path})`;
}
