import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CircuitBreaker } from './circuit-breaker.ts';

function recordTimeouts(breaker: CircuitBreaker, count: number, now: number): void {
  for (let index = 0; index < count; index += 1) breaker.recordTimeout(now);
}

describe('CircuitBreaker', () => {
  test('opens after five consecutive timeouts; any response resets the count', () => {
    const breaker = new CircuitBreaker();
    recordTimeouts(breaker, 4, 0);
    breaker.recordAnswer();
    recordTimeouts(breaker, 4, 0);
    assert.ok(breaker.tryPass(0));
    breaker.recordTimeout(0);
    assert.deepEqual([breaker.tryPass(0), breaker.tryPass(4999), breaker.remainingPauseMs(0)], [false, false, 5000]);
  });

  test('admits one probe after each pause, which doubles up to a minute while probes time out', () => {
    const breaker = new CircuitBreaker();
    recordTimeouts(breaker, 5, 0);
    let now = 0;
    const pauses: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const pause = breaker.remainingPauseMs(now);
      pauses.push(pause);
      now += pause;
      assert.deepEqual([breaker.tryPass(now), breaker.tryPass(now)], [true, false], 'one probe at a time');
      breaker.recordTimeout(now);
    }
    assert.deepEqual(pauses, [5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  test('closes when a probe gets a response', () => {
    const breaker = new CircuitBreaker();
    recordTimeouts(breaker, 5, 0);
    assert.ok(breaker.tryPass(5000));
    breaker.recordAnswer();
    assert.ok(breaker.tryPass(5000) && breaker.tryPass(5000));
    assert.equal(breaker.isOpen, false);
  });

  test('admits another probe when the first is cancelled; timeouts of earlier calls do not extend the pause', () => {
    const breaker = new CircuitBreaker();
    recordTimeouts(breaker, 5, 0);
    recordTimeouts(breaker, 60, 100);
    assert.equal(breaker.remainingPauseMs(0), 5000);
    assert.ok(breaker.tryPass(5000));
    breaker.recordCancelled();
    assert.ok(breaker.tryPass(5000));
  });

  test('admits another probe after a minute when the first takes longer, for example because it waits for a human', () => {
    const breaker = new CircuitBreaker();
    recordTimeouts(breaker, 5, 0);
    assert.ok(breaker.tryPass(5000));
    assert.deepEqual([breaker.tryPass(6000), breaker.remainingPauseMs(6000)], [false, 59_000]);
    assert.ok(breaker.tryPass(65_000));
    breaker.recordAnswer();
    assert.ok(breaker.tryPass(65_000) && breaker.tryPass(65_000));
  });
});
