import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runSeed } from '../../../test/support/seeded.ts';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import { checkedElicitation, fitsForm } from './client-answers.ts';
import { SchemaCompiler } from './schema-compiler.ts';

const dialects = ['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'];
const names = ['a', 'b', 'c d', '$e', '0'];
const words = fc.constantFrom('', 'red', 'green', 'blue', '🚦', '🚦🚦', '🚦🚦🚦', 'e\u0301', '\ud83d');
const formatted = fc.oneof(
  words,
  fc.constantFrom(
    'a@b.co',
    'a@b',
    '2024-02-29',
    '2023-02-29',
    '2024-02-29T10:00:00Z',
    '2024-02-29T10:00:00',
    'mailto:x',
  ),
  fc.webUrl(),
  fc.emailAddress(),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const numbers = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, noDefaultInfinity: true }));
const counts = fc.integer({ min: 0, max: 4 });
const choices = fc.array(
  words.map((value) => ({ const: value, title: value })),
  { minLength: 1, maxLength: 3 },
);
const texts = fc.uniqueArray(words, { minLength: 1, maxLength: 3 });
const about = { title: fc.string(), description: fc.string(), default: fc.jsonValue() as fc.Arbitrary<JsonValue> };

const kind = (type: string): fc.Arbitrary<string> => fc.constant(type);
function record(type: string, needed: object, more: object = {}): fc.Arbitrary<JsonObject> {
  const rules: Record<string, fc.Arbitrary<unknown>> = { type: kind(type), ...about, ...more, ...needed };
  return fc.record(rules, { requiredKeys: ['type', ...Object.keys(needed)] }) as fc.Arbitrary<JsonObject>;
}
const ofChoices = fc.oneof(
  texts.map((each) => ({ type: 'string', enum: each })),
  choices.map((anyOf) => ({ anyOf })),
);
const field = fc.oneof(
  record('string', {}, { minLength: counts, maxLength: counts }),
  record('string', { format: fc.constantFrom('email', 'uri', 'date', 'date-time') }),
  record('string', { enum: texts }, { enumNames: texts }),
  record('string', { oneOf: choices }),
  record('number', {}, { minimum: numbers, maximum: numbers }),
  record('integer', {}, { minimum: numbers, maximum: numbers }),
  record('boolean', {}),
  record('array', { items: ofChoices }, { minItems: counts, maxItems: counts }),
);
const form = fc.record(
  {
    $schema: fc.constantFrom('https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'),
    type: kind('object'),
    properties: fc.dictionary(fc.constantFrom(...names), field, { maxKeys: 4 }),
    required: fc.subarray(names, { maxLength: 2 }),
    additionalProperties: fc.boolean(),
  },
  { requiredKeys: ['type', 'properties'] },
) as fc.Arbitrary<JsonObject>;
const anyValue = fc.oneof(formatted, numbers, fc.boolean(), fc.array(words, { maxLength: 3 }), fc.constant(null));

interface Field {
  readonly type: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly { readonly const: string }[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Pick<Field, 'enum'> & { readonly anyOf?: Field['oneOf'] };
}

/** Values that a field accepts, and those at its limits. */
function likelyValue({ type, format, enum: plain, oneOf, minimum, maximum, items }: Field): fc.Arbitrary<unknown> {
  const offered = items?.enum ?? (items?.anyOf ?? oneOf)?.map((each) => each.const) ?? plain;
  switch (type) {
    case 'string':
      if (offered !== undefined) return fc.constantFrom(...offered);
      return format === undefined ? words : formatted;
    case 'array':
      return fc.array(fc.constantFrom(...(offered ?? [])), { maxLength: 4 });
    case 'boolean':
      return fc.boolean();
    default:
      return fc.oneof(fc.constantFrom(minimum ?? 0, maximum ?? 0), numbers);
  }
}

/** An answer with mostly valid values: with random ones, every answer would be invalid for some reason. */
function answerTo(schema: JsonObject): fc.Arbitrary<JsonObject> {
  const fields = Object.entries(schema['properties'] as unknown as Record<string, Field>);
  const likely = fields.map(([name, each]) => {
    const value = fc.oneof({ weight: 12, arbitrary: likelyValue(each) }, { weight: 1, arbitrary: anyValue });
    return [name, value] as const;
  });
  const more = fc.dictionary(fc.constantFrom(...names), anyValue, { maxKeys: 1 });
  return fc
    .tuple(fc.option(more, { freq: 3, nil: {} }), fc.record(Object.fromEntries(likely), { requiredKeys: [] }))
    .map(([added, given]) => ({ ...added, ...given }) as JsonObject);
}
const formWithAnswer = form.chain((schema) => fc.tuple(fc.constant(schema), answerTo(schema)));

/** Fields of every kind, and values that some of them accept. */
const fields: readonly JsonObject[] = [
  { type: 'string' },
  { type: 'string', format: 'email' },
  { type: 'string', enum: ['red', 'green'] },
  { type: 'string', oneOf: [{ const: 'red', title: 'Red' }] },
  { type: 'number', minimum: 1 },
  { type: 'boolean' },
  { type: 'array', items: { type: 'string', enum: ['red', 'green'] } },
];
const values: readonly JsonValue[] = ['', 'red', 'blue', 'a@b.co', 0, 1, 1.5, true, null, [], ['red'], ['blue'], {}];

/** Rules that no MCP form has, or that are malformed. */
const oddRules: readonly JsonObject[] = [
  { pattern: '^x' },
  { minLength: -1 },
  { maxLength: 1.5 },
  { minimum: '1' },
  { enum: [] },
  { enum: ['red', 'red'] },
  { enum: [1, 'red'] },
  { oneOf: [] },
  { oneOf: [{ const: 1 }, { const: 'red' }] },
  { oneOf: [{ const: 'red', pattern: '^x' }] },
  { oneOf: [{ const: 'red', title: 7 }] },
  { format: 'ipv4' },
  { title: 7 },
  { type: ['string', 'null'] },
  { type: 'object' },
  { not: {} },
  { minItems: -1 },
  { items: { type: 'string' } },
  { items: { type: 'string', enum: ['red'], minLength: 9 } },
  { items: { enum: ['red'], anyOf: [{ const: 'green' }] } },
  { uniqueItems: 7 },
  { $ref: '#/properties/other' },
];
const oddForms: readonly JsonObject[] = [
  { required: ['a', 'a'] },
  { required: ['b'] },
  { required: 'a' },
  { required: ['toString'] },
  { properties: { toString: { type: 'string' } } },
  { properties: [] },
  { additionalProperties: { type: 'string' } },
  { properties: {}, additionalProperties: false },
  JSON.parse('{ "properties": { "__proto__": { "type": "string" } }, "additionalProperties": false }') as JsonObject,
  { minProperties: 3 },
  { $schema: 'http://json-schema.org/draft-04/schema#' },
  { $async: true },
  { description: 7 },
  { type: 'array' },
];
const compiler = new SchemaCompiler();
const isValid = (schema: JsonObject, given: JsonObject): boolean => {
  const compiled = compiler.compile(schema);
  return compiled.ok && compiled.validate(given) === undefined;
};
const runs = { seed: runSeed, numRuns: 300 };

describe('the answer to an MCP form', () => {
  it('is accepted without compilation exactly when JSON Schema accepts it', () => {
    let accepted = 0;
    fc.assert(
      fc.property(formWithAnswer, ([schema, given]) => {
        const fits = fitsForm(schema, given);
        accepted += fits ? 1 : 0;
        assert.equal(fits, isValid(schema, given));
      }),
      runs,
    );
    assert.ok(accepted > runs.numRuns / 10, `only ${accepted} answers matched`);
  });

  it('is never accepted for a malformed form when JSON Schema rejects it', () => {
    const forms = dialects.flatMap(($schema) =>
      fields.flatMap((each): JsonObject[] => [
        ...[{}, ...oddRules].map((rules) => ({ $schema, type: 'object', properties: { a: { ...each, ...rules } } })),
        ...oddForms.map((rules) => ({ $schema, type: 'object', properties: { a: each }, ...rules })),
      ]),
    );
    const answers = [{}, JSON.parse('{ "__proto__": "red" }') as JsonObject, ...values.map((value) => ({ a: value }))];
    let accepted = 0;
    for (const each of forms)
      for (const given of answers) {
        if (!fitsForm(each, given)) continue;
        accepted += 1;
        assert.ok(isValid(each, given), `${JSON.stringify(each)} does not accept ${JSON.stringify(given)}`);
      }
    assert.ok(accepted > forms.length / 10, `only ${accepted} answers matched`);
  });

  it('that is invalid is rejected with its problems', () => {
    const requestedSchema = {
      type: 'object',
      properties: { age: { type: 'integer', minimum: 18 } },
      required: ['age'],
    };
    const ask = (content: JsonObject): unknown =>
      checkedElicitation({ mode: 'form', message: '', requestedSchema }, { action: 'accept', content });
    assert.deepEqual(ask({ age: 18, more: true }), { action: 'accept', content: { age: 18, more: true } });
    assert.throws(() => ask({ age: 17 }), /does not fit the requested schema: \$\.age must be >= 18/);
    assert.throws(() => ask({}), /\$ "age" is missing/);
  });
});
