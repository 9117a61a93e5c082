import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FailedAttempts } from './failed-attempts.ts';

describe('FailedAttempts', () => {
  let now = 0;
  const afterFailures = (peer: string, times: number, attempts = new FailedAttempts(() => now)): FailedAttempts => {
    for (let time = 0; time < times; time++) assert.equal(attempts.count(peer), 0);
    return attempts;
  };

  test('after twenty wrong tokens in a minute, the peer waits until the minute ends; others do not', () => {
    now = 0;
    const attempts = afterFailures('10.0.0.1', 19);
    now = 20_000;
    assert.equal(attempts.count('10.0.0.1'), 0);
    assert.equal(attempts.count('10.0.0.1'), 40);
    assert.equal(attempts.count('10.0.0.2'), 0);
    now = 60_000;
    assert.equal(attempts.count('10.0.0.1'), 0, 'the window has ended');
  });

  test('counts all addresses of one IPv6 network together', () => {
    const attempts = afterFailures('2001:db8:0:1::5', 20);
    assert.ok(attempts.count('2001:db8:0:1:ffff::9') > 0);
    assert.equal(attempts.count('2001:db8:0:2::5'), 0);
  });

  test('stores only the last ten thousand peers', () => {
    const attempts = afterFailures('10.0.0.1', 20);
    for (let peer = 0; peer < 10_000; peer++) attempts.count(`1.1.${peer}`);
    assert.equal(attempts.count('10.0.0.1'), 0);
  });
});
