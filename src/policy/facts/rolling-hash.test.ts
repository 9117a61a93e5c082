import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rollingHash, windowHashes } from './rolling-hash.ts';

test('windowHashes returns the hash of each substring, wherever it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 1, max: 25 }), (text, length) => {
      const parts = Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) =>
        text.slice(at, at + length),
      );
      assert.deepEqual([...windowHashes(text, length)], parts.map(rollingHash));
    }),
    { seed: 4, numRuns: 5000 },
  );
});

test('rollingHash returns distinct 53-bit hashes for similar texts', () => {
  const texts = Array.from({ length: 50_000 }, (_, index) => `the number ${index} in the list`);
  const hashes = new Set(texts.map(rollingHash));
  assert.equal(hashes.size, texts.length);
  assert.ok([...hashes].every((hash) => Number.isSafeInteger(hash) && hash >= 0));
  const isHigh = [...hashes].filter((hash) => hash > 2 ** 52).length;
  assert.ok(Math.abs(isHigh - texts.length / 2) < 1000, `${isHigh}`);
});
