import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fitNames } from './fit-names.ts';

const seed = 20261115;

describe('fitNames', () => {
  test('returns valid, unique and stable names for any tools; valid names stay unchanged', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^mcp__[a-z_]{50,70}$/),
      fc.stringMatching(/^[a-c_. -]{1,4}$/),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 40 }), fc.constantFrom(63, 64), (names, maxLength) => {
        const fitted = fitNames(names, maxLength);
        assert.equal(fitted.size, names.length);
        assert.equal(new Set(fitted.values()).size, names.length);
        for (const [given, fit] of fitted) {
          assert.match(fit, /^[A-Za-z_][A-Za-z0-9_-]*$/);
          assert.ok(fit.length <= maxLength);
          if (given.length <= maxLength && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(given)) assert.equal(fit, given);
          assert.equal(fitNames([given], maxLength).get(given), fit);
        }
      }),
      { seed, numRuns: 500 },
    );
  });

  test('returns different names when a tool already has the shortened name of another', () => {
    const long = 'x'.repeat(80);
    const short = fitNames([long], 64).get(long) ?? '';
    const fitted = fitNames([long, short], 64);
    assert.equal(fitted.get(short), short);
    assert.notEqual(fitted.get(long), short);
  });
});
