import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CircuitBreaker } from './circuit-breaker.ts';

function silence(breaker: CircuitBreaker, times: number, now: number): void {
  for (let time = 0; time < times; time += 1) breaker.recordTimeout(now);
}

describe('a server that lets calls run out of their time', () => {
  test('gets no more after five in a row, and any answer in between begins anew', () => {
    const breaker = new CircuitBreaker();
    silence(breaker, 4, 0);
    breaker.recordAnswer();
    silence(breaker, 4, 0);
    assert.ok(breaker.tryPass(0));
    breaker.recordTimeout(0);
    assert.deepEqual([breaker.tryPass(0), breaker.tryPass(4999), breaker.pausesFor(0)], [false, false, 5000]);
  });

  test('is tried by one call after a pause, which doubles up to a minute while there is silence', () => {
    const breaker = new CircuitBreaker();
    silence(breaker, 5, 0);
    let now = 0;
    const pauses: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      const pause = breaker.pausesFor(now);
      pauses.push(pause);
      now += pause;
      assert.deepEqual([breaker.tryPass(now), breaker.tryPass(now)], [true, false], 'one at a time');
      breaker.recordTimeout(now);
    }
    assert.deepEqual(pauses, [5000, 10_000, 20_000, 40_000, 60_000, 60_000]);
  });

  test('is open to all when one got an answer', () => {
    const breaker = new CircuitBreaker();
    silence(breaker, 5, 0);
    assert.ok(breaker.tryPass(5000));
    breaker.recordAnswer();
    assert.ok(breaker.tryPass(5000) && breaker.tryPass(5000));
    assert.equal(breaker.isOpen, false);
  });

  test('is tried by another when the first gave up, and calls of before make the pause no longer', () => {
    const breaker = new CircuitBreaker();
    silence(breaker, 5, 0);
    silence(breaker, 60, 100);
    assert.equal(breaker.pausesFor(0), 5000);
    assert.ok(breaker.tryPass(5000));
    breaker.recordCancelled();
    assert.ok(breaker.tryPass(5000));
  });

  test('is tried by another after a minute when the first takes longer: it may wait for a human, or have an hour', () => {
    const breaker = new CircuitBreaker();
    silence(breaker, 5, 0);
    assert.ok(breaker.tryPass(5000));
    assert.deepEqual([breaker.tryPass(6000), breaker.pausesFor(6000)], [false, 59_000]);
    assert.ok(breaker.tryPass(65_000));
    breaker.recordAnswer();
    assert.ok(breaker.tryPass(65_000) && breaker.tryPass(65_000));
  });
});
