import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SchemaCompiler } from '../../catalog/schema/schema-compiler.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../../core/json/json.ts';
import type { ToolDefinition } from '../../core/tools/tool.ts';
import type { ProviderFormat, ProviderSchema } from './provider-format.ts';
import { anthropicFormat, geminiFormat, openaiFormat } from './formats.ts';

const seed = 20261115;
const formats: Readonly<Record<string, ProviderFormat>> = {
  anthropic: anthropicFormat(),
  'anthropic, strict': anthropicFormat(true),
  openai: openaiFormat(),
  'openai, strict': openaiFormat(true),
  gemini: geminiFormat,
};

function toolWith(inputSchema: JsonSchema, providerOptions?: JsonObject): ToolDefinition {
  return {
    id: { server: 's', tool: 't' },
    name: 'mcp__s__t',
    description: 'Does it.',
    inputSchema,
    annotations: {},
    effect: 'read',
    idempotent: false,
    labels: [],
    definitionHash: '',
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
}

const shape = (format: ProviderFormat, schema: JsonSchema): ProviderSchema => format.toSchema(toolWith(schema));

/** Generates meaningful JSON Schemas, and objects that misuse the keywords of JSON Schema. */
const keyword = fc.constantFrom(
  ...'type properties required items anyOf oneOf allOf not $ref $defs definitions additionalProperties patternProperties enum const prefixItems format pattern if description'.split(
    ' ',
  ),
);
const reference = fc.constantFrom(
  '#',
  '#/$defs/a',
  '#/$defs/b',
  '#/definitions/a',
  '#/properties/a',
  '#anchor',
  '#/%',
  'a.json',
);
const { schema: anySchema } = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'schema' },
    fc.boolean(),
    fc.constantFrom({ type: 'string' }, { type: ['array', 'null'] }, { type: 'object' }, { type: 7 }),
    reference.map(($ref) => ({ $ref })),
    fc.dictionary(keyword, tie('value'), { maxKeys: 4 }),
  ),
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'schema' },
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom('object', 'array', 'string', ['object', 'null'], ['a']),
    reference,
    tie('schema'),
    fc.array(tie('schema'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'ä b', '__proto__'), tie('schema'), { maxKeys: 3 }),
  ),
}));

/** Generates valid schemas with all kinds of combinations and references. */
const { object: validObject } = fc.letrec<{ object: object; value: object }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'valid' },
    fc.constantFrom<object[]>(
      {},
      { type: 'string' },
      { type: 'array' },
      { type: ['integer', 'null'] },
      { enum: ['a', 1] },
    ),
    fc.constantFrom('#/$defs/a', '#/$defs/b').map(($ref) => ({ $ref, description: 'Beside.' })),
    tie('object'),
  ),
  object: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'valid' },
    fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('value'), { maxKeys: 2 }),
        required: fc.constantFrom(['a'], ['a', 'b'], ['c']),
        additionalProperties: fc.oneof(fc.boolean(), tie('value')),
        patternProperties: fc.record({ '^c': tie('value') }),
      },
      { requiredKeys: ['properties'] },
    ),
    fc.record(
      {
        properties: fc.record({ a: tie('value') }),
        anyOf: fc.array(tie('object'), { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(tie('object'), { minLength: 1, maxLength: 2 }),
        allOf: fc.array(tie('object'), { minLength: 1, maxLength: 2 }),
        $ref: fc.constantFrom('#/$defs/a', '#/$defs/b'),
        not: tie('object'),
        unevaluatedProperties: fc.constant(false),
      },
      { requiredKeys: [] },
    ),
  ),
}));
const validSchema = fc
  .tuple(validObject, validObject, validObject)
  .map(([root, a, b]): JsonSchema => ({ ...root, $defs: { a, b } }))
  // A reference cycle without a value, which no validator can resolve.
  .filter((schema) => !/"\$defs":\{.*"\$ref"/.test(JSON.stringify(schema)));

const closedObjects = [
  { $ref: '#/$defs/a', $defs: { a: { patternProperties: { '^c': {} }, additionalProperties: false } } },
  { allOf: ['a', 'b'].map((name) => ({ properties: { [name]: {} }, additionalProperties: false })) },
  { anyOf: [{ properties: { a: {} }, patternProperties: { '^c': {} } }], unevaluatedProperties: false },
].map((schema): [JsonSchema, Record<string, JsonValue>[]] => [schema, [{ a: 1, b: 1 }, { c: 1 }]]);
const someValue = fc.oneof(
  fc.constantFrom<JsonValue[]>('a', 'b', 1, null, true, [], ['a'], {}, { a: 'a' }, { a: { b: 1 } }),
);
const someArguments = fc.dictionary(fc.constantFrom('a', 'b', 'c'), someValue, { maxKeys: 3 });

describe('a tool schema in the format of a provider', () => {
  test('is JSON with an object at the root for any input, without exceptions', () => {
    fc.assert(
      fc.property(anySchema, fc.jsonValue(), (schema, args) => {
        for (const format of Object.values(formats)) {
          const shaped = shape(format, JSON.parse(JSON.stringify(schema)) as JsonSchema);
          assert.equal(shaped.schema['type'], 'object');
          for (const combined of ['anyOf', 'oneOf', 'allOf', '$ref']) assert.ok(!(combined in shaped.schema));
          assert.deepEqual(JSON.parse(JSON.stringify(shaped.schema)), shaped.schema);
          shaped.restore?.apply(args as JsonValue);
        }
      }),
      { seed, numRuns: 1000 },
    );
  });

  test('accepts the values of the original schema, and others only with a warning', () => {
    const compiler = new SchemaCompiler();
    let [equal, looser] = [0, 0];
    fc.assert(
      fc.property(validSchema, fc.array(someArguments, { minLength: 8, maxLength: 8 }), (schema, tries) => {
        const original = compiler.compile(schema);
        if (!original.ok) assert.fail(original.reason);
        for (const format of [openaiFormat(), geminiFormat]) {
          const shaped = shape(format, schema);
          const rewritten = compiler.compile(shaped.schema);
          if (!rewritten.ok) assert.fail(`${rewritten.reason}: ${JSON.stringify(shaped.schema)}`);
          for (const args of tries) {
            const [before, after] = [original, rewritten].map(({ validate }) => validate(args) === undefined);
            if (before) assert.ok(after);
            else if (shaped.warnings.length === 0) assert.ok(!after);
            if (before === after) equal += 1;
            else looser += 1;
          }
        }
      }),
      { seed, numRuns: 100, examples: closedObjects },
    );
    assert.ok(equal > 500 && looser > 10, `${equal} equal, ${looser} looser`);
  });

  test('is unchanged if the provider supports it', () => {
    const schema = {
      type: 'object',
      properties: {
        when: { type: 'string', format: 'date-time', minLength: 3 },
        where: { oneOf: [{ $ref: '#/$defs/place' }, { type: 'null' }] },
        tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      },
      patternProperties: { '^x-': { type: 'string' } },
      required: ['when'],
      $defs: { place: { type: 'object', properties: { town: { const: 'Ulm' } } } },
    };
    for (const name of ['anthropic', 'openai', 'gemini']) {
      const shaped = shape(formats[name] ?? geminiFormat, schema);
      assert.deepEqual(shaped.schema, schema, name);
      assert.deepEqual(shaped.warnings, []);
      assert.equal(shaped.restore, undefined);
    }
  });

  test('with a reference at the root gets the referenced object at the root, without a warning', () => {
    const $defs = {
      a: { type: 'object', properties: { x: { $ref: '#/$defs/b' } }, required: ['x'] },
      b: { type: 'string' },
    };
    for (const schema of [
      { $ref: '#/$defs/a', $defs },
      { allOf: [{ $ref: '#/$defs/a' }], $defs },
    ]) {
      const shaped = shape(anthropicFormat(), schema);
      assert.deepEqual(shaped.schema, {
        $defs,
        type: 'object',
        properties: { x: { $ref: '#/$defs/b' } },
        required: ['x'],
      });
      assert.deepEqual(shaped.warnings, []);
    }
  });

  test('with alternatives at the root has all their arguments, requires the common ones, and has a warning', () => {
    const shaped = shape(openaiFormat(), {
      oneOf: [
        { type: 'object', properties: { by: { const: 'id' }, id: { type: 'string' } }, required: ['by', 'id'] },
        { type: 'object', properties: { by: { const: 'name' }, name: { type: 'string' } }, required: ['by', 'name'] },
      ],
    });
    assert.deepEqual(shaped.schema, {
      type: 'object',
      properties: {
        by: { anyOf: [{ const: 'id' }, { const: 'name' }] },
        id: { type: 'string' },
        name: { type: 'string' },
      },
      required: ['by'],
    });
    assert.match(shaped.warnings.join(), /oneOf at the root .* which arguments go together/);
  });

  test('always has `items` in an array, for OpenAI', () => {
    const shaped = shape(openaiFormat(), { type: 'object', properties: { a: { type: 'array' }, b: true } });
    assert.deepEqual(shaped.schema['properties'], { a: { type: 'array', items: {} }, b: {} });
  });

  test('has simple argument names for Anthropic, which are restored in calls', () => {
    const shaped = shape(anthropicFormat(), {
      type: 'object',
      properties: { 'größe (cm)': { type: 'number' }, ok: {} },
      required: ['größe (cm)'],
    });
    const [renamed = '', ok] = Object.keys(shaped.schema['properties'] as object);
    assert.match(renamed, /^[A-Za-z0-9_.-]{1,64}$/);
    assert.equal(ok, 'ok');
    assert.deepEqual(shaped.schema['required'], [renamed]);
    assert.deepEqual(shaped.restore?.apply({ [renamed]: 3, ok: 1 }), { 'größe (cm)': 3, ok: 1 });
    assert.equal(shaped.warnings.length, 1);
  });

  test('has no keyword beside a reference and no endless reference, for Gemini', () => {
    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node', description: 'Next.' } } };
    const properties = { first: { $ref: '#/$defs/node' } };
    const optional = shape(geminiFormat, { type: 'object', properties, $defs: { node } });
    assert.deepEqual(optional.schema['$defs'], {
      node: { type: 'object', properties: { next: { description: 'Next.', anyOf: [{ $ref: '#/$defs/node' }] } } },
    });
    assert.deepEqual(optional.warnings, []);
    const endless = shape(geminiFormat, {
      type: 'object',
      properties,
      $defs: { node: { ...node, required: ['next'] } },
    });
    assert.ok(!JSON.stringify(endless.schema).includes('$ref'));
    assert.match(endless.warnings.join(), /lacks the target of "#\/\$defs\/node"/);
  });

  test('is strict if possible and requested by the tool or the caller; the tool takes precedence', () => {
    const strictly = { type: 'object', properties: { a: { type: 'string' } } };
    const openly = { type: 'object', properties: { a: {} } };
    const strictOf = (format: ProviderFormat, schema: JsonSchema, provider: string, strict: boolean): ProviderSchema =>
      format.toSchema(toolWith(schema, { [provider]: { strict } }));
    assert.equal(strictOf(openaiFormat(), strictly, 'openai', true).strict, true);
    assert.equal(strictOf(anthropicFormat(), strictly, 'anthropic', true).strict, true);
    assert.equal(strictOf(openaiFormat(true), strictly, 'openai', false).strict, false);
    const open = strictOf(openaiFormat(), openly, 'openai', true);
    assert.equal(open.strict, false);
    assert.deepEqual(open.schema, openly);
    assert.deepEqual(open.warnings, ['cannot be strict: "a" in the arguments may be of any type']);
  });
});
