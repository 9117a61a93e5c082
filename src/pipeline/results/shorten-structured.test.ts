import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { SchemaCompiler } from '../../catalog/schema/schema-compiler.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../../core/json/json.ts';
import { jsonBytes } from './result-size.ts';
import { type ShortenedStructure, shortenStructured } from './shorten-structured.ts';

const none = new Set<string>();
const pointer = 'read_result {"uri": "signalbox://results/call_1"}';

function validator(schema: JsonSchema): (value: JsonValue, maxMs?: number) => boolean {
  const compiled = new SchemaCompiler().compile(schema);
  assert.ok(compiled.ok);
  return (value, maxMs = 60_000) => compiled.fitsInTime(value, maxMs);
}

function shorten(
  schema: JsonSchema,
  value: JsonValue,
  aimBytes: number,
  maxBytes = aimBytes,
): ShortenedStructure | undefined {
  return shortenStructured(value, {
    targetBytes: aimBytes,
    maxBytes,
    media: none,
    tooLarge: none,
    reference: pointer,
    isValid: validator(schema),
    // On a busy machine the default may pass before anything was validated.
    maxValidationMs: 60_000,
  });
}

interface Sample {
  readonly schema: JsonObject;
  readonly value: JsonValue;
}

const letters = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength, maxLength });

/** A schema and a value that is valid for it. */
const sample: fc.Arbitrary<Sample> = fc.letrec<{ sample: Sample }>((tie) => ({
  sample: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.string({ unit: 'grapheme', maxLength: 3000 }).map((value) => ({ schema: { type: 'string' }, value })),
    letters(0, 3000).map((value) => ({ schema: { type: 'string', pattern: '^[a-h]*$' }, value })),
    letters(1, 3000).map((value) => ({ schema: { type: 'string', pattern: `^${value}$` }, value })),
    letters(1, 3000).map((value) => ({ schema: { enum: [value, 'other'] }, value })),
    letters(300, 900).map((value) => ({ schema: { type: 'string', minLength: value.length, maxLength: 900 }, value })),
    fc.constant({ schema: { type: 'string', format: 'date-time' }, value: '2026-11-16T12:00:00Z' }),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .map((value) => ({ schema: { type: 'number' }, value: value + 0 })),
    fc.constantFrom(null, true).map((value) => ({ schema: { enum: [null, true] }, value })),
    fc.tuple(tie('sample'), fc.nat(400), fc.nat(5)).map(([{ schema, value }, count, minItems]) => ({
      schema: { type: 'array', items: schema, minItems },
      value: Array.from({ length: Math.max(count, minItems) }, () => value),
    })),
    fc.uniqueArray(letters(0, 300), { maxLength: 60 }).map((value) => ({
      schema: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      value,
    })),
    fc.array(tie('sample'), { minLength: 1, maxLength: 4 }).map((items) => ({
      schema: { type: 'array', prefixItems: items.map(({ schema }) => schema), items: false, minItems: items.length },
      value: items.map(({ value }) => value),
    })),
    fc.dictionary(letters(1, 4), fc.tuple(tie('sample'), fc.boolean()), { maxKeys: 5 }).map((members) => {
      const entries = Object.entries(members);
      return {
        schema: {
          type: 'object',
          properties: Object.fromEntries(entries.map(([key, [{ schema }]]) => [key, schema])),
          required: entries.flatMap(([key, [, isRequired]]) => (isRequired ? [key] : [])),
          additionalProperties: false,
        },
        value: Object.fromEntries(entries.map(([key, [{ value }]]) => [key, value])),
      };
    }),
    fc.tuple(tie('sample'), fc.nat(200)).map(([{ schema, value }, count]) => ({
      schema: { type: 'object', additionalProperties: schema },
      value: Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, value])),
    })),
    fc.tuple(tie('sample'), tie('sample')).map(([one, other]) => ({
      schema: { anyOf: [other.schema, one.schema] },
      value: one.value,
    })),
  ),
})).sample;

describe('shortenStructured', () => {
  test('returns a valid value within the limit for any schema and any valid value', () => {
    let shortened = 0;
    fc.assert(
      fc.property(sample, fc.integer({ min: 300, max: 20_000 }), ({ schema, value }, maxBytes) => {
        if (jsonBytes(value, none) <= maxBytes) return;
        const isValid = validator(schema);
        assert.ok(isValid(value));
        const short = shorten(schema, value, Math.floor(maxBytes / 2), maxBytes);
        if (short === undefined) return;
        shortened += 1;
        assert.ok(isValid(short.value));
        assert.ok(jsonBytes(short.value, none) <= maxBytes);
      }),
      { numRuns: 400, seed: 20261116 },
    );
    assert.ok(shortened > 10, `only ${shortened} values were shortened`);
  });

  test('cuts only long strings, each with a mark, and names the full result in the longest', () => {
    const schema = {
      type: 'object',
      properties: {
        id: { type: 'string' },
        body: { type: 'string' },
        notes: { type: 'array', items: { type: 'string' } },
      },
      required: ['id', 'body', 'notes'],
    };
    const value = { id: 'a'.repeat(150), body: 'word '.repeat(4000), notes: ['n'.repeat(3000), 'short'] };
    const short = shorten(schema, value, 4000)?.value as typeof value;
    assert.equal(short.id, value.id);
    assert.match(
      short.body,
      /^(word )+(w|wo|wor|word)?\[… \d+ more characters: read_result \{"uri": "signalbox:\/\/results\/call_1"\}\]$/,
    );
    assert.match(short.notes[0] ?? '', /^n+\[… \d+ more characters\]$/);
    assert.equal(short.notes[1], 'short');
    assert.ok(jsonBytes(short, none) > 3000, 'the available space is used');
  });

  test('cuts arrays and maps when cutting strings is not enough', () => {
    const rows = { type: 'array', items: { type: 'object', properties: { id: { type: 'number' } } } };
    const many = Array.from({ length: 5000 }, (_, id) => ({ id }));
    const list = shorten({ type: 'object', properties: { rows }, required: ['rows'] }, { rows: many }, 2000);
    assert.ok(list !== undefined);
    const rest = (list.value as { rows: typeof many }).rows;
    assert.ok(rest.length > 100 && rest.length < 200, `${rest.length}`);
    assert.deepEqual(rest, many.slice(0, rest.length));
    const map = Object.fromEntries(many.map(({ id }) => [`key${id}`, id]));
    const short = shorten({ type: 'object', additionalProperties: { type: 'number' } }, map, 2000);
    const count = Object.keys(short?.value as object).length;
    assert.ok(count > 50 && count < 200, `${count}`);
  });

  test('retains the parts that the schema does not allow to change, and shortens the others', () => {
    const fixed = 'f'.repeat(600);
    const schema = {
      type: 'object',
      properties: {
        fixed: { const: fixed },
        free: { type: 'string' },
        capped: { type: 'string', pattern: '^[a-z]+$' },
      },
      required: ['fixed', 'free', 'capped'],
    };
    const value = { fixed, free: 'x'.repeat(5000), capped: 'y'.repeat(5000) };
    const short = shorten(schema, value, 2000, 3000)?.value as typeof value;
    assert.equal(short.fixed, fixed);
    assert.match(short.capped, /^y+$/);
    assert.ok(short.free.length < 2000);
  });

  test('returns undefined when no valid value is small enough', () => {
    const numbers = Array.from({ length: 2000 }, (_, index) => index);
    const schema = { type: 'array', items: { type: 'number' }, minItems: 2000 };
    assert.equal(shorten(schema, numbers, 1000), undefined);
  });

  test('returns undefined after the first validation that times out', () => {
    // Valid at once while it ends with "y"; every cut removes that, and then the references branch exponentially.
    const $defs: Record<string, unknown> = { d40: { minLength: 1 } };
    for (let level = 0; level < 40; level++)
      $defs[`d${level}`] = { allOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] };
    const branching = { type: 'string', anyOf: [{ pattern: 'y$' }, { $ref: '#/$defs/d0' }] };
    const value = Array.from({ length: 8 }, (_, index) => `${'x'.repeat(2000 + index)}y`);
    const isValid = validator({ type: 'array', items: branching, minItems: 8, $defs });
    let timeouts = 0;
    const short = shortenStructured(value, {
      targetBytes: 1000,
      maxBytes: 1000,
      media: none,
      tooLarge: none,
      reference: pointer,
      isValid: (each, maxMs) => {
        try {
          return isValid(each, maxMs);
        } catch (error) {
          timeouts += 1;
          throw error;
        }
      },
    });
    assert.equal(short, undefined);
    assert.equal(timeouts, 1);
  });

  test('skips validation when the whole value is invalid, even with a schema that recurses infinitely', () => {
    const short = shorten({ $ref: '#' }, { text: 'x'.repeat(5000) }, 1000);
    assert.ok(short !== undefined);
    assert.ok(jsonBytes(short.value, none) <= 1000);
  });

  test('shortens a value that is invalid from the start', () => {
    const short = shorten({ type: 'object', required: ['missing'] }, { text: 'x'.repeat(5000) }, 1000);
    assert.ok(short !== undefined);
    assert.ok(jsonBytes(short.value, none) <= 1000);
  });
});
