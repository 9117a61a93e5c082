import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matchesNamePattern } from './name-pattern.ts';

test('* matches any characters, and every other character only itself', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['read_file', 'read_*', true],
    ['read_', 'read_*', true],
    ['a_read_x', 'read_*', false],
    ['read', '*', true],
    ['', '*', true],
    ['aba', 'ab*ba', false],
    ['abba', 'ab*ba', true],
    ['a.c', 'a.c', true],
    ['abc', 'a.c', false],
    ['Read', 'read', false],
    ['x_delete_y', '*delete*', true],
    ['a1b2c', 'a*b*c', true],
    ['a1c2b', 'a*b*c', false],
    ['ab', 'a**b', true],
  ];
  for (const [name, pattern, expected] of cases)
    assert.equal(matchesNamePattern(name, pattern), expected, `${name} ${pattern}`);
});

test('matches the same names as the equivalent regular expression', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 });
  const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 6 });
  fc.assert(
    fc.property(letters, patterns, (name, pattern) => {
      const expression = new RegExp(`^${pattern.replaceAll('.', String.raw`\.`).replaceAll('*', '.*')}$`);
      assert.equal(matchesNamePattern(name, pattern), expression.test(name));
    }),
    { numRuns: 2000 },
  );
});

test('matches a hostile name in linear time', () => {
  // A matcher that backtracks would not terminate.
  assert.equal(matchesNamePattern('a'.repeat(100_000), `${'*a'.repeat(40)}*b`), false);
});
