import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fitNames } from './fit-names.ts';

const seed = 20261115;

describe('the names a provider is told', () => {
  test('are valid and unique for any tools, the same every time, and unchanged where they fit', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.stringMatching(/^mcp__[a-z_]{50,70}$/),
      fc.stringMatching(/^[a-c_. -]{1,4}$/),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 40 }), fc.constantFrom(63, 64), (names, longest) => {
        const fitted = fitNames(names, longest);
        assert.equal(fitted.size, names.length);
        assert.equal(new Set(fitted.values()).size, names.length);
        for (const [given, told] of fitted) {
          assert.match(told, /^[A-Za-z_][A-Za-z0-9_-]*$/);
          assert.ok(told.length <= longest);
          if (given.length <= longest && /^[A-Za-z_][A-Za-z0-9_-]*$/.test(given)) assert.equal(told, given);
          assert.equal(fitNames([given], longest).get(given), told);
        }
      }),
      { seed, numRuns: 500 },
    );
  });

  test('differ even when a tool has the name that another would be given', () => {
    const long = 'x'.repeat(80);
    const short = fitNames([long], 64).get(long) ?? '';
    const fitted = fitNames([long, short], 64);
    assert.equal(fitted.get(short), short);
    assert.notEqual(fitted.get(long), short);
  });
});
