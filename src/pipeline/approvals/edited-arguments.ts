import { isDeepStrictEqual } from 'node:util';
import { SignalboxError } from '../../core/errors.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';

/**
 * Puts the human's version of the arguments together with what they could not see: wherever they left a value as it was
 * shown, it is what it was, secrets included. A redacted value that was moved or changed stands for nothing and is refused.
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

/** Whether a text stands in part for something that was taken out of it. */
export function looksRedacted(value: string): boolean {
  return /\[(redacted|●)/.test(value);
}

/**
 * Returns edited arguments as a caller would give them. Parts that were left as the tool would have received them are as the caller
 * gave them, or absent where they were filled in: defaults, configured values and transforms apply to them again.
 */
export function asGiven(edited: JsonObject, received: JsonObject, given: JsonObject): JsonObject {
  const entries = Object.entries(edited).flatMap(([name, value]) => {
    const own = partAsGiven(value, child(received, name), child(given, name));
    return own === undefined ? [] : [[name, own] as const];
  });
  return Object.fromEntries(entries);
}

function partAsGiven(
  edited: JsonValue,
  received: JsonValue | undefined,
  given: JsonValue | undefined,
): JsonValue | undefined {
  if (isDeepStrictEqual(edited, received)) return given;
  const isObject = isJsonObject(edited) && isJsonObject(received) && isJsonObject(given);
  return isObject ? asGiven(edited, received, given) : edited;
}

/** What a human changed, for the model to read: `amount: 5 → 3`. */
export function describeEdit(shown: JsonObject, edited: JsonObject): string {
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
