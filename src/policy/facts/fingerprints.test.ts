import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { FingerprintSet } from './fingerprint-set.ts';
import { fingerprintsOf, findLabelsOf } from './fingerprints.ts';

function fingerprintsByLabel(...texts: readonly string[]): ReadonlyMap<string, FingerprintSet> {
  const prints = new FingerprintSet();
  for (const text of texts) prints.addAll(fingerprintsOf(text));
  return new Map([['private', prints]]);
}

/** Returns words without digits, so that only running text is recognized. */
function longText(seed: number, length: number): string {
  let state = seed;
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    text += `${String.fromCharCode(97 + ((state >>> 16) % 26))}${state % 7 === 0 ? ' ' : ''}`;
  }
  return text.slice(0, length);
}

describe('fingerprints of outputs', () => {
  test('recognize any part of 24 letters and digits, whatever separates them', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'abcdefgh0123 .-Ü'), minLength: 24, maxLength: 300 });
    fc.assert(
      fc.property(letters, fc.nat(), (text, at) => {
        const bare = text.replaceAll(/[^\p{L}\p{N}]+/gu, '');
        fc.pre(bare.length >= 24);
        const start = at % (bare.length - 23);
        const part = bare
          .slice(start, start + 24)
          .toUpperCase()
          .match(/.{1,5}/g);
        assert.equal(findLabelsOf(fingerprintsByLabel(text), { part: part?.join(' / ') ?? '' }).has('private'), true);
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  test('recognize every part of an output of 256 KB, and of the previous output', () => {
    const [first, second] = [longText(1, 256 * 1024), longText(2, 100 * 1024)];
    const prints = fingerprintsByLabel(second, first);
    for (let at = 0; at < first.length - 60; at += 4999)
      assert.equal(findLabelsOf(prints, { part: first.slice(at, at + 60) }).size, 1, `at ${at}`);
    assert.equal(findLabelsOf(fingerprintsByLabel(first), { part: longText(3, 10_000) }).size, 0);
    assert.equal(findLabelsOf(prints, { part: second.slice(-60) }).size, 1);
  });

  test('take a bounded number of probes to add, however many there are and however they are chosen', () => {
    const full = new FingerprintSet(65_536);
    const fill = (factor: number): number => {
      const before = full.probes;
      for (let index = 1; index <= 65_536; index += 1) full.add(index * factor);
      return full.probes - before;
    };
    // Neighbors, and numbers with equal lower, upper or middle bits.
    for (const factor of [1, 2 ** 36, 2 ** 20, 2 ** 32, 97]) {
      const probes = fill(factor);
      assert.ok(probes < 65_536 * 16, `${probes} slots were read for 65,536 multiples of ${factor}`);
    }
    assert.equal(full.has(97), true);
    assert.equal(full.has(2 ** 52), false, 'the oldest are evicted');
  });
});
