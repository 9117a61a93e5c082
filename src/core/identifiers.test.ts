import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCallId, newId } from './identifiers.ts';

test('100,000 ids are unique', () => {
  const ids = new Set(Array.from({ length: 100_000 }, () => newCallId()));
  assert.equal(ids.size, 100_000);
});

test('ids sort by the millisecond of their creation', () => {
  const ids: string[] = [];
  for (let round = 0; round < 20; round++) {
    ids.push(newCallId());
    const now = Date.now();
    while (Date.now() === now);
  }
  assert.deepEqual(ids.toSorted(), ids);
});

test('an id consists of its prefix, its creation time in base 32 and 50 random bits', () => {
  const before = Date.now();
  const id = newId('approval');
  const after = Date.now();
  const [, time, random] = /^approval_([0-9a-hjkmnp-tv-z]{9})([0-9a-hjkmnp-tv-z]{10})$/.exec(id) ?? assert.fail(id);
  const created = (time ?? '')
    .split('')
    .reduce((value, digit) => value * 32 + '0123456789abcdefghjkmnpqrstvwxyz'.indexOf(digit), 0);
  assert.ok(before <= created && created <= after, `${created} is not between ${before} and ${after}`);
  assert.notEqual(newId('approval').slice(-10), random);
});
