import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SchemaCompiler } from '../../../catalog/schema/schema-compiler.ts';
import type { JsonValue } from '../../../core/json/json.ts';
import { type StrictSchema, anthropicStrict, openaiStrict, strictSchema } from './strict-schema.ts';
import type { SchemaObject } from './subschemas.ts';

const seed = 20261115;

/** A schema, and a value in both forms: that of the original schema, and that of strict mode. */
interface Case {
  readonly schema: SchemaObject;
  readonly original: JsonValue;
  readonly strict: JsonValue;
}

const scalar = fc.oneof(
  fc.string().map((value): Case => ({ schema: { type: 'string' }, original: value, strict: value })),
  fc.integer().map((value): Case => ({ schema: { type: 'integer' }, original: value, strict: value })),
  fc.boolean().map((value): Case => ({ schema: { type: 'boolean' }, original: value, strict: value })),
  fc.constantFrom('a', 'b').map((value): Case => ({ schema: { enum: ['a', 'b'] }, original: value, strict: value })),
  fc
    .constantFrom(null, 'x')
    .map((value): Case => ({ schema: { type: ['string', 'null'] }, original: value, strict: value })),
);

/** An optional property that accepts `null` has no strict form, so the generated ones are required. */
const isNullable = ({ schema }: Case): boolean => Array.isArray(schema['type']);

const objects = (inner: fc.Arbitrary<Case>): fc.Arbitrary<Case> =>
  fc
    .uniqueArray(
      fc.record({
        name: fc.oneof(
          fc.constantFrom('a', 'b', 'c'),
          fc.string().filter((name) => name !== '__proto__'),
        ),
        value: inner,
        use: fc.constantFrom('required', 'present', 'omitted'),
      }),
      { selector: ({ name }) => name, maxLength: 4 },
    )
    .map((entries) => {
      const present = entries.filter(({ use }) => use !== 'omitted');
      const isRequired = ({ use, value }: (typeof entries)[number]): boolean => use === 'required' || isNullable(value);
      return {
        schema: {
          type: 'object',
          properties: Object.fromEntries(entries.map(({ name, value }) => [name, value.schema])),
          required: entries.filter(isRequired).map(({ name }) => name),
          additionalProperties: false,
        },
        original: Object.fromEntries(
          entries.flatMap(({ name, value, use }): [string, JsonValue][] =>
            use !== 'omitted' ? [[name, value.original]] : isNullable(value) ? [[name, null]] : [],
          ),
        ),
        strict: Object.fromEntries([
          ...present.map(({ name, value }): [string, JsonValue] => [name, value.strict]),
          ...entries.filter(({ use }) => use === 'omitted').map(({ name }): [string, JsonValue] => [name, null]),
        ]),
      };
    });

const lists = (inner: fc.Arbitrary<Case>): fc.Arbitrary<Case> =>
  inner.map(({ schema, original, strict }) => ({
    schema: { type: 'array', items: schema },
    original: [original, original],
    strict: [strict, strict],
  }));

/** Generates unions of two objects that differ in a property with a fixed value. */
const unions = (inner: fc.Arbitrary<Case>): fc.Arbitrary<Case> =>
  fc.tuple(inner, inner, fc.constantFrom('anyOf', 'oneOf')).map(([left, right, keyword]) => {
    const branch = (kind: string, { schema }: Case): SchemaObject => ({
      type: 'object',
      properties: { kind: { const: kind }, value: schema, note: { type: 'string' } },
      required: ['kind', 'value'],
    });
    return {
      schema: { [keyword]: [branch('left', left), branch('right', right)] },
      original: { kind: 'right', value: right.original },
      strict: { kind: 'right', value: right.strict, note: null },
    };
  });

const { root } = fc.letrec<{ root: Case; any: Case }>((tie) => ({
  any: fc.oneof({ maxDepth: 2 }, scalar, objects(tie('any')), lists(tie('any')), unions(tie('any'))),
  root: objects(tie('any')),
}));

const strictly = (schema: SchemaObject): Extract<StrictSchema, { ok: true }> => {
  const strict = strictSchema(schema, openaiStrict);
  assert.ok(strict.ok, strict.ok ? '' : strict.reason);
  return strict;
};

describe('strictSchema', () => {
  test('accepts the values of the original with null for omitted properties, and restores them', () => {
    fc.assert(
      fc.property(root, ({ schema, original, strict }) => {
        const compiler = new SchemaCompiler();
        const before = compiler.compile(schema);
        const converted = strictly(schema);
        const after = compiler.compile(converted.schema);
        assert.ok(before.ok && after.ok);
        assert.equal(before.validate(original), undefined);
        assert.equal(after.validate(strict), undefined);
        assert.deepEqual(converted.restore.apply(strict), original);
        assertClosed(converted.schema);
      }),
      { seed, numRuns: 100 },
    );
  });

  test('keeps recursive references, and removes nulls at every level', () => {
    const tree = {
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
      required: ['name'],
    };
    const { schema, restore } = strictly(tree);
    const written = { name: 'a', children: [{ name: 'b', children: null }] };
    assert.deepEqual(restore.apply(written), { name: 'a', children: [{ name: 'b' }] });
    const compiled = new SchemaCompiler().compile(schema);
    assert.ok(compiled.ok && compiled.validate(written) === undefined);
    assert.deepEqual(strictSchema(tree, anthropicStrict), {
      ok: false,
      reason: 'the items of "children" in the items of "children" in the arguments refers to itself',
    });
  });

  test('drops keywords that strict mode cannot enforce, with a warning', () => {
    const { schema, warnings } = strictly({
      type: 'object',
      properties: {
        a: { type: 'string', minLength: 3, pattern: '^(?!x)', format: 'uri', description: 'A.', default: 'x' },
        b: { type: 'integer', minimum: 3 },
      },
      required: ['a', 'b'],
    });
    assert.deepEqual(schema['properties'], {
      a: { type: 'string', description: 'A.' },
      b: { type: 'integer', minimum: 3 },
    });
    assert.deepEqual(warnings, ['strict mode cannot enforce: minLength, pattern, format']);
  });

  test('returns the reason when a schema has no strict form', () => {
    const reasons = [
      { type: 'object', additionalProperties: { type: 'string' } },
      { type: 'object', properties: { a: {} } },
      { type: 'object', properties: { a: { type: 'object' } } },
      { type: 'object', properties: { a: { type: 'array' } } },
      { type: 'object', properties: { a: { $ref: 'https://example.org/a' } } },
      { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { $ref: '#/$defs/a' } } },
      { type: 'object', properties: { a: { allOf: [{ type: 'string' }, { minLength: 1 }] } } },
      { type: 'object', required: ['b'] },
      { type: 'object', properties: { a: { type: ['string', 'null'] } } },
      { type: 'object', properties: { a: { anyOf: [{ type: 'integer' }, { type: 'null' }] } } },
      { type: 'object', properties: { a: { enum: ['x', null] } } },
    ].map((schema) => {
      const strict = strictSchema(schema, openaiStrict);
      return strict.ok ? undefined : strict.reason;
    });
    assert.deepEqual(reasons, [
      'the arguments may have properties of any name',
      '"a" in the arguments may be of any type',
      '"a" in the arguments may have properties of any name',
      '"a" in the arguments is an array without a schema for all of its items',
      '"a" in the arguments refers to "https://example.org/a"',
      '"a" in the arguments refers to itself',
      '"a" in the arguments combines schemas with allOf',
      'the arguments requires "b", which it does not describe',
      ...['', '', ''].map(() => '"a" in the arguments is optional and may be null, which mean different things'),
    ]);
  });
});

/** Asserts that every object is closed and requires all its properties, as strict mode demands. */
function assertClosed(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  if ('properties' in schema && 'additionalProperties' in schema) {
    const { properties, additionalProperties, ...rest } = schema;
    assert.equal(additionalProperties, false);
    assert.deepEqual('required' in rest ? rest.required : undefined, Object.keys(properties as object));
  }
  for (const value of Object.values(schema)) assertClosed(value);
}
