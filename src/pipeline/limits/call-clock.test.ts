import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { CallClock } from './call-clock.ts';

const minutes = 60_000;

/** Mocks the clock. Returns a function that advances it. */
function mockClock(t: TestContext, now: number): (milliseconds: number) => void {
  t.mock.timers.enable({ apis: ['Date'], now });
  return (milliseconds) => t.mock.timers.setTime(Date.now() + milliseconds);
}

test('questions pause the timeout for at most ten minutes in total, and never move the caller’s deadline', (t) => {
  const advance = mockClock(t, 0);
  const clock = new CallClock(1000, undefined);
  const release = clock.hold();
  assert.equal(clock.end, 1000 + 10 * minutes);
  advance(3 * minutes);
  release();
  release();
  assert.deepEqual([clock.end, clock.deadline], [1000 + 3 * minutes, 1000 + 3 * minutes]);
  const again = clock.hold();
  advance(20 * minutes);
  assert.equal(clock.end, 1000 + 10 * minutes, 'the call ends although a question is open');
  again();
  assert.equal(clock.end, 1000 + 10 * minutes);
  const bound = new CallClock(Date.now() + 1000, Date.now() + 5000);
  bound.hold();
  assert.equal(bound.end, Date.now() + 5000);
});

test('for any sequence of questions, the call ends within the maximum and not before its own timeout', (t) => {
  const steps = fc.array(fc.record({ what: fc.constantFrom('hold', 'release', 'wait'), ms: fc.nat(2 * minutes) }));
  const advance = mockClock(t, 0);
  fc.assert(
    fc.property(steps, (plan) => {
      const begun = Date.now();
      const clock = new CallClock(begun + 1000, undefined);
      const holds: (() => void)[] = [];
      let held = 0;
      for (const { what, ms } of plan) {
        if (what === 'hold') holds.push(clock.hold());
        else if (what === 'release') holds.pop()?.();
        else {
          advance(ms);
          if (holds.length > 0) held += ms;
        }
        assert.ok(clock.end <= begun + 1000 + 10 * minutes);
        assert.equal(clock.deadline, begun + 1000 + Math.min(held, 10 * minutes));
      }
    }),
    { seed: 3 },
  );
});
