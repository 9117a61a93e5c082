import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { normalizeName } from './normalize-name.ts';

const unit = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 });

describe('normalizeName', () => {
  test('makes names equal that differ only in invisible characters', () => {
    const spellings = ['nightly run', 'nightly\trun', 'nightly\u00a0\n run', ' nightly run\u200b', 'nig\u202ehtly run'];
    assert.deepEqual([...new Set(spellings.map((name) => normalizeName(name)))], ['nightly run']);
    assert.notEqual(normalizeName('nightlyrun'), normalizeName('nightly run'));
  });

  test('returns one line of at most 200 characters, and returns a normalized name unchanged', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.oneof(fc.constantFrom(' ', '\u200b', '\t', 'e', '\u0301'), unit), maxLength: 300 }),
        (name) => {
          const normal = normalizeName(name);
          assert.equal(normalizeName(normal), normal);
          assert.ok(normal.length <= 200 && normal.isWellFormed() && !/[\p{Cc}\p{Cf}]/u.test(normal), normal);
        },
      ),
    );
  });
});
