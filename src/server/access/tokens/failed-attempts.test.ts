import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FailedAttempts } from './failed-attempts.ts';

describe('wrong tokens', () => {
  let now = 0;
  const failing = (peer: string, times: number, attempts = new FailedAttempts(() => now)): FailedAttempts => {
    for (let time = 0; time < times; time++) assert.equal(attempts.count(peer), 0);
    return attempts;
  };

  test('after twenty in a minute the peer waits out the minute, and nobody else', () => {
    now = 0;
    const attempts = failing('10.0.0.1', 19);
    now = 20_000;
    assert.equal(attempts.count('10.0.0.1'), 0);
    assert.equal(attempts.count('10.0.0.1'), 40);
    assert.equal(attempts.count('10.0.0.2'), 0);
    now = 60_000;
    assert.equal(attempts.count('10.0.0.1'), 0, 'counted from the start');
  });

  test('all addresses of one IPv6 network count as one', () => {
    const attempts = failing('2001:db8:0:1::5', 20);
    assert.ok(attempts.count('2001:db8:0:1:ffff::9') > 0);
    assert.equal(attempts.count('2001:db8:0:2::5'), 0);
  });

  test('however many peers there are, only the last ten thousand are remembered', () => {
    const attempts = failing('10.0.0.1', 20);
    for (let peer = 0; peer < 10_000; peer++) attempts.count(`1.1.${peer}`);
    assert.equal(attempts.count('10.0.0.1'), 0);
  });
});
