import { isJsonObject } from '../../core/json/json.ts';
import { linearPattern } from './linear-pattern.ts';

type Check = (value: unknown, depth: number) => boolean;

const types = new Set<unknown>(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);
const maxDepth = 50;

const anything: Check = () => true;
const text: Check = (value) => typeof value === 'string';
const flag: Check = (value) => typeof value === 'boolean';
const number: Check = (value) => Number.isFinite(value);
const count: Check = (value) => Number.isInteger(value) && Number(value) >= 0;
const list: Check = (value) => Array.isArray(value);
const choices: Check = (value) =>
  Array.isArray(value) && value.length > 0 && value.every((each) => typeof each !== 'object') && isUnique(value);
const names: Check = (value) => Array.isArray(value) && value.every(text) && isUnique(value);
const type: Check = (value) =>
  types.has(value) ||
  (Array.isArray(value) && value.length > 0 && value.every((each) => types.has(each)) && isUnique(value));
const schema: Check = (value, depth) => isPlain(value, depth + 1);
const schemas: Check = (value, depth) =>
  Array.isArray(value) && value.length > 0 && value.every((each) => schema(each, depth));
const schemasByName: Check = (value, depth) =>
  isJsonObject(value) && Object.values(value).every((each) => schema(each, depth));
/** A reference within the same schema, written without escapes. */
const reference: Check = (value) => typeof value === 'string' && /^#(?:\/[\w$.-]+)*$/.test(value);

const pattern: Check = (value) => typeof value === 'string' && isLinear(value);
const schemasByPattern: Check = (value, depth) =>
  schemasByName(value, depth) && Object.keys(value as object).every(isLinear);

/** The keywords of most schemas, with the same meaning in 2020-12 and draft-07. */
const keywords: ReadonlyMap<string, Check> = new Map([
  ...of(anything, 'const', 'default'),
  ...of(text, 'title', 'description', '$comment', 'format'),
  ...of(flag, 'uniqueItems', 'readOnly', 'writeOnly', 'deprecated'),
  ...of(pattern, 'pattern'),
  ...of(number, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'),
  ...of(count, 'minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'),
  ...of(list, 'examples'),
  ...of(choices, 'enum'),
  ...of(names, 'required'),
  ...of(type, 'type'),
  ...of(schema, 'items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'),
  ...of(schemasByPattern, 'patternProperties'),
  ...of(schemas, 'allOf', 'anyOf', 'oneOf'),
  ...of(schemasByName, 'properties', 'definitions', '$defs'),
  ...of(reference, '$ref'),
]);

/**
 * Returns whether a schema is certainly valid in both drafts: it has only common keywords with valid values. Compiling the
 * meta-schema takes 50 ms in a new process. A schema that is not plain may still be valid.
 */
export function isPlain(value: unknown, depth = 0): boolean {
  if (typeof value === 'boolean') return true;
  if (!isJsonObject(value) || depth > maxDepth) return false;
  // Keywords that begin with `x-` belong to no vocabulary and are ignored.
  for (const key in value) if (!key.startsWith('x-') && keywords.get(key)?.(value[key], depth) !== true) return false;
  return true;
}

function isLinear(given: string): boolean {
  try {
    void linearPattern(given);
    return true;
  } catch {
    return false;
  }
}

function of(check: Check, ...those: readonly string[]): [string, Check][] {
  return those.map((keyword) => [keyword, check]);
}

function isUnique(values: readonly unknown[]): boolean {
  return new Set(values).size === values.length;
}
