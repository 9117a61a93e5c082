import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { safeSize } from './safe-size.ts';

const property = (schema: object): object => ({ type: 'object', properties: { a: schema } });

describe('the largest value whose check certainly ends soon', () => {
  test('is not bounded for schemas without patterns, unique items and recursion', () => {
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

  test('shrinks with every unbounded quantifier of a pattern, and is nothing for quantified groups', () => {
    assert.equal(safeSize(property({ pattern: '^[a-z]{3}$' }) as never), 1_000_000);
    assert.equal(safeSize(property({ pattern: '^[a-z]+$' }) as never), 1000);
    assert.ok(safeSize(property({ pattern: '^.*a.*$' }) as never) <= 100);
    assert.equal(safeSize(property({ pattern: '^(a+)+$' }) as never), 0);
    assert.equal(safeSize(property({ pattern: String.raw`(a)\1` }) as never), 0);
    assert.equal(safeSize({ patternProperties: { '^(x*)*$': {} } }), 0);
    assert.equal(safeSize(property({ pattern: String.raw`^\+\*$` }) as never), 1_000_000);
  });

  test('is nothing where references recur, branch without end or lead outside, and not bounded where they end', () => {
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

  test('is small for unique items, which are compared pairwise', () => {
    assert.equal(safeSize(property({ uniqueItems: true }) as never), 1000);
  });
});
