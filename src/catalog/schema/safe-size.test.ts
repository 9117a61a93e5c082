import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { safeSize } from './safe-size.ts';

const property = (schema: object): object => ({ type: 'object', properties: { a: schema } });

describe('safeSize', () => {
  test('is unlimited for schemas without patterns, unique items and recursion', () => {
    assert.equal(safeSize(true), Number.POSITIVE_INFINITY);
    assert.equal(safeSize(property({ type: 'string', maxLength: 5 }) as never), Number.POSITIVE_INFINITY);
    assert.equal(
      safeSize({ $defs: { b: { type: 'string' } }, properties: { a: { $ref: '#/$defs/b' } } }),
      Number.POSITIVE_INFINITY,
    );
    assert.equal(
      safeSize(property({ type: 'object', properties: { pattern: { type: 'string' } } }) as never),
      Number.POSITIVE_INFINITY,
    );
  });

  test('is large for patterns, which take linear time', () => {
    assert.ok(safeSize(property({ pattern: '^(a+)+$' }) as never) > 500_000);
    assert.ok(safeSize({ patternProperties: { '^(x*)*$': {} } }) > 500_000);
  });

  test('shrinks with the number of patterns and of references to them', () => {
    const pattern = { pattern: '^[a-z]+$' };
    const one = safeSize(pattern);
    assert.ok(safeSize({ allOf: Array.from({ length: 100 }, () => pattern) }) <= one / 100);
    const allOf = Array.from({ length: 100 }, () => ({ $ref: '#/$defs/a' }));
    assert.ok(safeSize({ allOf, $defs: { a: pattern } }) <= one / 100);
  });

  test('is 0 for references that recur, branch exponentially or lead outside, and unlimited for others', () => {
    assert.equal(safeSize({ properties: { next: { $ref: '#' } } }), 0);
    assert.equal(safeSize({ $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' }), 0);
    assert.equal(safeSize({ $ref: 'https://elsewhere/schema' }), 0);
    const branching = (levels: number): Record<string, unknown> =>
      Object.fromEntries(
        Array.from({ length: levels }, (_, level) => [
          `d${level}`,
          level + 1 === levels ? {} : { allOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] },
        ]),
      );
    assert.equal(safeSize({ $ref: '#/$defs/d0', $defs: branching(8) }), Number.POSITIVE_INFINITY);
    assert.equal(safeSize({ $ref: '#/$defs/d0', $defs: branching(40) }), 0);
  });

  test('is small for unique items, which are compared pairwise, and for formats, which have patterns', () => {
    assert.equal(safeSize(property({ uniqueItems: true }) as never), 999);
    assert.equal(safeSize(property({ format: 'email' }) as never), 999);
  });
});
