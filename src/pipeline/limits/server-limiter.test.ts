import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { RateLimiter } from './server-limiter.ts';

describe('RateLimiter', () => {
  test('admits no more than the limit in any period, and delays no call longer than necessary', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 100 }),
        fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 60 }),
        (max, perMs, gaps) => {
          const rate = new RateLimiter({ max, perMs });
          const begins: number[] = [];
          let now = 0;
          for (const gap of gaps) {
            now += gap;
            const { at, taken } = rate.take(now, Number.POSITIVE_INFINITY);
            assert.ok(taken && at >= now);
            const earliest = begins.length < max ? now : Math.max(now, (begins.at(-max) ?? 0) + perMs);
            assert.equal(at, earliest);
            begins.push(at);
          }
          for (const begin of begins)
            assert.ok(begins.filter((other) => other >= begin && other < begin + perMs).length <= max);
        },
      ),
    );
  });

  test('reserves no turn that would come too late', () => {
    const rate = new RateLimiter({ max: 1, perMs: 100 });
    assert.deepEqual(rate.take(0, 50), { at: 0, taken: true });
    assert.deepEqual(rate.take(10, 50), { at: 100, taken: false });
    assert.deepEqual(rate.take(20, 100), { at: 100, taken: true });
  });
});
