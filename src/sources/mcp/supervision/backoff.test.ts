import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Backoff } from './backoff.ts';

test('Backoff returns random delays up to a limit that doubles to 30 s', () => {
  const backoff = new Backoff();
  const limits = [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000];
  for (const [index, limit] of limits.entries()) {
    const { delayMs, isCrashing } = backoff.next(true, index * 60_000);
    assert.ok(!isCrashing);
    assert.ok(delayMs >= 0 && delayMs <= limit, `${delayMs} of ${limit}`);
  }
  backoff.settled();
  assert.ok(backoff.next(true, 20 * 60_000).delayMs <= 200);
});

test('Backoff returns 30 s after the fifth crash within 10 s', () => {
  const backoff = new Backoff();
  for (const at of [0, 2000, 4000, 6000]) assert.ok(!backoff.next(true, at).isCrashing);
  assert.deepEqual(backoff.next(true, 8000), { delayMs: 30_000, isCrashing: true });
  assert.ok(!backoff.next(true, 38_000).isCrashing, 'then it starts again');
});

test('Backoff detects no crash loop when crashes are further apart, or the server is only unreachable', () => {
  const backoff = new Backoff();
  for (let at = 0; at < 100_000; at += 2600) assert.ok(!backoff.next(true, at).isCrashing);
  for (let at = 0; at < 10_000; at += 100) assert.ok(!backoff.next(false, at).isCrashing);
});
