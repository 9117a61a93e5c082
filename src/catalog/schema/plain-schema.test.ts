import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import * as z from 'zod';
import { isPlain } from './plain-schema.ts';

const options = { strict: false, validateFormats: true, logger: false } as const;
const metas = [addFormats.default(new Ajv2020(options)), addFormats.default(new Ajv(options))];

const words = fc.constantFrom(
  'a',
  'b',
  'string',
  'object',
  'null',
  '#',
  '#/$defs/a',
  '#/definitions/a.b',
  '%',
  '~',
  '',
);
const numbers = fc.constantFrom(-1, 0, 1, 1.5, Infinity, Number.NaN, 2 ** 53);
const leaves = fc.oneof(words, numbers, fc.boolean(), fc.constant(null), fc.constant(undefined));
const keywords = `
  const default title description $comment format uniqueItems readOnly writeOnly minimum maximum
  exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems minProperties maxProperties
  enum examples required type items additionalProperties contains not if then else allOf anyOf oneOf
  properties definitions $defs $ref pattern multipleOf $id $anchor dependencies propertyNames
  deprecated unknown`;
const keyword = fc.constantFrom(...keywords.trim().split(/\s+/));
/** Random values, some of which are valid schemas. */
const { schema: random } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 2, arbitrary: leaves },
    { weight: 1, arbitrary: fc.array(fc.oneof(leaves, tie('schema')), { maxLength: 2 }) },
    { weight: 3, arbitrary: tie('schema') },
    { weight: 2, arbitrary: fc.dictionary(words, tie('schema'), { maxKeys: 2, noNullPrototype: true }) },
  ),
  schema: fc.oneof(
    { maxDepth: 3 },
    { weight: 1, arbitrary: fc.boolean() },
    { weight: 6, arbitrary: fc.dictionary(keyword, tie('value'), { minKeys: 1, maxKeys: 2, noNullPrototype: true }) },
  ),
}));

test('20,000 random schemas: every plain one is valid for the meta-schemas of both drafts', () => {
  const counts = { plain: 0, plainAndNested: 0, validOnly: 0, invalid: 0 };
  fc.assert(
    fc.property(random, (schema) => {
      const isValid = metas.every((meta) => meta.validateSchema(schema as object) === true);
      if (isPlain(schema)) {
        assert.ok(isValid, JSON.stringify([schema, metas.map(({ errors }) => errors)]));
        counts.plain += 1;
        if (JSON.stringify(schema).split('{').length > 2) counts.plainAndNested += 1;
      } else counts[isValid ? 'validOnly' : 'invalid'] += 1;
    }),
    { numRuns: 20_000, seed: 20_261_116 },
  );
  for (const [kind, count] of Object.entries(counts)) assert.ok(count > 500, `${kind}: ${JSON.stringify(counts)}`);
});

test('the schema that Zod generates for typical arguments is plain', () => {
  const { $schema: _, ...schema } = z.toJSONSchema(
    z.object({
      path: z.string().min(1).describe('Where.'),
      lines: z.int().positive().default(10),
      kind: z.enum(['a', 'b']).optional(),
      parts: z.array(z.object({ name: z.string(), value: z.union([z.number(), z.null()]) })).max(5),
    }),
  );
  assert.ok(isPlain(schema));
});

test('deep and invalid schemas, and values that are not schemas, are not plain', () => {
  let deep: object = { type: 'object' };
  for (let level = 0; level < 100; level += 1) deep = { not: deep };
  const others = [
    [null, 1, 'a', [], { type: 'strin' }, { type: ['null', 'null'] }, { required: ['a', 'a'] }, { items: [{}] }],
    [{ pattern: '(' }, { $ref: 'https://example.com/schema.json' }, { minimum: Number.NaN }, { $id: 'a' }, deep],
  ].flat();
  for (const schema of others) assert.ok(!isPlain(schema), JSON.stringify(schema));
});
