import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createStringSearch } from './string-search.ts';

const letters = fc.constantFrom('a', 'b', 'é', '"', '\\', '→');
const wanted = fc.array(fc.string({ unit: letters, minLength: 4, maxLength: 12 }), { maxLength: 6 });
const text = fc.string({ unit: letters, maxLength: 200 });

test('finds a string exactly when includes() finds one of them', () => {
  fc.assert(
    fc.property(wanted, text, (strings, haystack) => {
      const search = createStringSearch(strings);
      assert.equal(
        search.test(haystack),
        strings.some((one) => haystack.includes(one)),
      );
    }),
    { numRuns: 2000 },
  );
});

test('the spans cover every occurrence and nothing else', () => {
  fc.assert(
    fc.property(wanted, text, (strings, haystack) => {
      const covered = new Set<number>();
      for (const one of strings) {
        for (let start = haystack.indexOf(one); start !== -1; start = haystack.indexOf(one, start + 1)) {
          for (let offset = 0; offset < one.length; offset += 1) covered.add(start + offset);
        }
      }
      const spans = createStringSearch(strings).spans(haystack);
      const found = spans.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, index) => start + index));
      assert.deepEqual(
        found,
        [...covered].toSorted((a, b) => a - b),
      );
      for (const { start, end, wanted: longest } of spans) assert.ok(haystack.slice(start, end).includes(longest));
    }),
    { numRuns: 2000 },
  );
});

test('overlapping strings form one span with the longest string', () => {
  const search = createStringSearch(['abcdef', 'defghijk', 'cdef']);
  assert.deepEqual(search.spans('--abcdefghijk-- cdef'), [
    { start: 2, end: 13, wanted: 'defghijk' },
    { start: 16, end: 20, wanted: 'cdef' },
  ]);
  assert.equal(search.spans('cdefcdef').length, 2);
});
