import type { FillDefaults } from '../../catalog/schema-defaults.ts';
import type { Parsed } from '../../catalog/source.ts';
import type { CallOutcome } from '../../model/call.ts';
import { messageOf } from '../../model/errors.ts';
import { type JsonObject, inspectJson } from '../../model/json.ts';
import { unfinished } from '../../model/unfinished.ts';
import { type Call, type Next, type Outcoming, type Stage, toolOf } from '../call.ts';

const largestArguments = 64 * 1024 * 1024;

/**
 * Fills in the defaults of required arguments, and checks all against the tool's own schema; the handler never sees arguments that do
 * not fit. The later stages use the filled arguments: policy, approvals and the journal see what the tool gets.
 */
export const validate: Stage = (call, next) => {
  const given: unknown = call.given ?? {};
  const problem = jsonProblem(given);
  if (problem !== undefined)
    return unfinished('failed', 'arguments-invalid', `the arguments of ${call.name} are not a JSON object: ${problem}`);
  const { offered, fillDefaults } = toolOf(call);
  call.argumentsText = JSON.stringify(given);
  if (fillDefaults !== undefined) fillIn(call, fillDefaults);
  call.runsWith = call.argumentsText;
  try {
    const parsing = offered.parse((call.given ?? given) as JsonObject);
    if (!(parsing instanceof Promise)) return proceed(call, next, parsing);
    return parsing.then(
      (parsed) => proceed(call, next, parsed),
      (error: unknown) => unchecked(call, error),
    );
  } catch (error) {
    return unchecked(call, error);
  }
};

/** Fills in defaults in a copy: the caller's object is not modified. */
function fillIn(call: Call, fillDefaults: FillDefaults): void {
  const filled = JSON.parse(call.argumentsText) as JsonObject;
  if (!fillDefaults(filled)) return;
  call.given = filled;
  call.argumentsText = JSON.stringify(filled);
}

function proceed(call: Call, next: Next, parsed: Parsed): Outcoming {
  if (!parsed.ok) {
    const list = parsed.problems.map(({ path, message }) => `${path}: ${message}`).join('; ');
    return unfinished('failed', 'arguments-invalid', `the arguments of ${call.name} do not fit its schema: ${list}`);
  }
  call.arguments = parsed.value;
  if (parsed.arguments !== undefined) call.runsWith = JSON.stringify(parsed.arguments);
  return next(call);
}

function unchecked(call: Call, error: unknown): CallOutcome {
  const message = `the arguments of ${call.name} could not be checked: ${messageOf(error)}`;
  return unfinished('failed', 'arguments-invalid', message);
}

function jsonProblem(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return `an object is needed, not ${Array.isArray(given) ? 'an array' : `a ${typeof given}`}`;
  }
  const inspection = inspectJson(given, largestArguments);
  return inspection.ok ? undefined : `${inspection.problem} (at ${inspection.path})`;
}
