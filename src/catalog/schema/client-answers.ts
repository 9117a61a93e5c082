import { createRequire } from 'node:module';
import type * as Formats from 'ajv-formats/dist/formats.js';
import type { Elicitation, ElicitationAnswer, SamplingAnswer } from '../../core/calls/call-client.ts';
import { getOrInsert } from '../../core/get-or-insert.ts';
import { type JsonObject, type JsonValue, inspectJson, isJsonObject } from '../../core/json/json.ts';
import { SchemaCompiler } from './schema-compiler.ts';

const require = createRequire(import.meta.url);
const maxAnswerLength = 1024 * 1024;

/** Returns an answer that is valid and matches the requested schema. Throws for any other answer, without including its values. */
export function checkedElicitation(request: Elicitation, answer: unknown): ElicitationAnswer {
  const given = jsonOf(answer, 'the answer');
  const action = isJsonObject(given) ? given['action'] : undefined;
  if (action === 'decline' || action === 'cancel') return { action };
  if (action !== 'accept' || !isJsonObject(given))
    throw new Error('the answer has no "action" of "accept", "decline" or "cancel"');
  if (request.mode === 'url') return { action };
  const content = given['content'] ?? {};
  if (!isJsonObject(content)) throw new Error('the content of the answer is not an object');
  if (fitsForm(request.requestedSchema, content)) return { action, content };
  const compiled = compileCached(request.requestedSchema);
  if (!compiled.ok) throw new Error(`the requested schema cannot be compiled: ${compiled.reason}`);
  const problems = compiled.validate(content);
  if (problems !== undefined) {
    const details = problems.map(({ path, message }) => `${path} ${message}`).join('; ');
    throw new Error(`the answer does not fit the requested schema: ${details}`);
  }
  return { action, content };
}

const compiledSchemas = new WeakMap<JsonObject, ReturnType<SchemaCompiler['compile']>>();

/** Uses a separate compiler, because a server may send a new schema each time and schemas must stay isolated. Blocks for about 40 ms. */
function compileCached(schema: JsonObject): ReturnType<SchemaCompiler['compile']> {
  return getOrInsert(compiledSchemas, schema, () => new SchemaCompiler().compile(schema));
}

/** Returns the answer of a model. Throws when it is not a valid sampled message. */
export function checkedSample(answer: unknown): SamplingAnswer {
  const given = jsonOf(answer, 'the sampled message');
  const { role, model, content } = isJsonObject(given) ? given : {};
  if (typeof role !== 'string' || typeof model !== 'string' || typeof content !== 'object' || content === null)
    throw new Error('the sampled message lacks "role", "model" or "content"');
  return given as SamplingAnswer;
}

function jsonOf(value: unknown, what: string): JsonValue {
  const inspection = inspectJson(value, maxAnswerLength);
  if (!inspection.ok) throw new Error(`${what} is not JSON: ${inspection.problem} (at ${inspection.path})`);
  return value as JsonValue;
}

type FormValue = JsonValue | undefined;
type Format = 'email' | 'uri' | 'date' | 'date-time';

const dialects = new Set<FormValue>([
  undefined,
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft-07/schema#',
]);
/** On longer texts the pattern of a format could take too long. */
const maxFormattedLength = 1000;

/**
 * Returns whether an answer certainly matches an MCP form: a flat object of strings, numbers, booleans and choices. Returns false when the
 * schema is not such a form, is malformed, or does not match; the caller then validates with JSON Schema. Compiles nothing.
 */
export function fitsForm(form: JsonObject, answer: JsonObject): boolean {
  const { $schema, type, title, description, properties = {}, required = [], additionalProperties, ...others } = form;
  if (type !== 'object' || !dialects.has($schema) || !isOptionalText(title, description) || !isEmpty(others))
    return false;
  if (!isJsonObject(properties) || !isStringList(required) || hasDuplicates(required)) return false;
  if (additionalProperties !== undefined && typeof additionalProperties !== 'boolean') return false;
  const names = Object.keys(properties);
  // JSON Schema validators in JavaScript ignore a property of this name.
  if (names.includes('__proto__')) return false;
  if (additionalProperties === false && Object.keys(answer).some((name) => !Object.hasOwn(properties, name)))
    return false;
  return (
    required.every((name) => Object.hasOwn(answer, name) && answer[name] !== undefined) &&
    names.every((name) => isValidField(properties[name], answer[name]))
  );
}

/** Returns whether a field is well-formed and its value matches. A field without an answer must be well-formed, too. */
function isValidField(field: FormValue, value: FormValue): boolean {
  if (!isJsonObject(field)) return false;
  const { type, title, description, default: _default, ...rules } = field;
  if (!isOptionalText(title, description)) return false;
  return typeof type === 'string' && kinds.get(type)?.(rules, value) === true;
}

const kinds: ReadonlyMap<string, (rules: JsonObject, value: FormValue) => boolean> = new Map([
  ['string', isValidText],
  ['number', isValidNumber],
  ['integer', (rules, value) => isValidNumber(rules, value) && (value === undefined || Number.isInteger(value))],
  ['boolean', (rules, value) => isEmpty(rules) && (value === undefined || typeof value === 'boolean')],
  ['array', isValidChoices],
]);

function isValidText(rules: JsonObject, value: FormValue): boolean {
  const { minLength, maxLength, format, enum: texts, enumNames: _names, oneOf, ...others } = rules;
  if (!isEmpty(others) || !isCount(minLength) || !isCount(maxLength) || !isFormat(format)) return false;
  const choices = texts === undefined ? undefined : choicesOf({ enum: texts });
  const titled = oneOf === undefined ? undefined : choicesOf({ anyOf: oneOf });
  if ((texts !== undefined && choices === undefined) || (oneOf !== undefined && titled === undefined)) return false;
  if (value === undefined) return true;
  return (
    typeof value === 'string' &&
    (minLength === undefined || lengthOf(value) >= minLength) &&
    (maxLength === undefined || lengthOf(value) <= maxLength) &&
    (format === undefined || hasFormat(format, value)) &&
    (choices === undefined || choices.includes(value)) &&
    (titled === undefined || titled.filter((each) => each === value).length === 1)
  );
}

function isValidNumber({ minimum, maximum, ...others }: JsonObject, value: FormValue): boolean {
  if (!isEmpty(others) || !isNumber(minimum) || !isNumber(maximum)) return false;
  if (value === undefined) return true;
  return (
    typeof value === 'number' &&
    (minimum === undefined || value >= minimum) &&
    (maximum === undefined || value <= maximum)
  );
}

function isValidChoices({ items, minItems, maxItems, ...others }: JsonObject, value: FormValue): boolean {
  const choices = choicesOf(items);
  if (!isEmpty(others) || !isCount(minItems) || !isCount(maxItems) || choices === undefined) return false;
  if (value === undefined) return true;
  return (
    Array.isArray(value) &&
    (minItems === undefined || value.length >= minItems) &&
    (maxItems === undefined || value.length <= maxItems) &&
    value.every((each) => choices.includes(each))
  );
}

/** Returns the choices of a field: plain strings, or strings with titles. */
function choicesOf(items: FormValue): readonly string[] | undefined {
  if (!isJsonObject(items)) return undefined;
  const { type, enum: texts, anyOf, ...others } = items;
  if (!isEmpty(others) || (type !== undefined && type !== 'string')) return undefined;
  if (anyOf === undefined) return isStringList(texts) && texts.length > 0 && !hasDuplicates(texts) ? texts : undefined;
  const consts = Array.isArray(anyOf) ? anyOf.map(constOf) : [];
  return texts === undefined && isStringList(consts) && consts.length > 0 ? consts : undefined;
}

function constOf(choice: JsonValue): JsonValue {
  if (!isJsonObject(choice)) return null;
  const { const: value, title, description, ...others } = choice;
  return value !== undefined && isOptionalText(title, description) && isEmpty(others) ? value : null;
}

function hasFormat(name: Format, text: string): boolean {
  if (text.length > maxFormattedLength) return false;
  const { fullFormats } = require('ajv-formats/dist/formats.js') as typeof Formats;
  const format = fullFormats[name];
  if (format instanceof RegExp) return format.test(text);
  const check = typeof format === 'object' ? format.validate : format;
  return typeof check === 'function' && (check as (given: string) => unknown)(text) === true;
}

/** Returns the length as JSON Schema defines it: in code points, not UTF-16 code units. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _character of text) length += 1;
  return length;
}

function isEmpty(others: object): boolean {
  return Object.keys(others).length === 0;
}

function isOptionalText(...texts: readonly FormValue[]): boolean {
  return texts.every((text) => text === undefined || typeof text === 'string');
}

function isStringList(value: FormValue): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function hasDuplicates(texts: readonly string[]): boolean {
  return new Set(texts).size < texts.length;
}

function isNumber(value: FormValue): value is number | undefined {
  return value === undefined || typeof value === 'number';
}

function isCount(value: FormValue): value is number | undefined {
  return value === undefined || (Number.isInteger(value) && Number(value) >= 0);
}

function isFormat(value: FormValue): value is Format | undefined {
  return value === undefined || value === 'email' || value === 'uri' || value === 'date' || value === 'date-time';
}
