import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FailedAttempts } from './failed-attempts.ts';

describe('wrong tokens', () => {
  let now = 0;
  const failing = (peer: string, times: number, attempts = new FailedAttempts(() => now)): FailedAttempts => {
    for (let time = 0; time < times; time++) attempts.failed(peer);
    return attempts;
  };

  test('twenty in a minute make the peer wait out the minute, and nobody else', () => {
    now = 0;
    const attempts = failing('10.0.0.1', 19);
    assert.equal(attempts.waitSeconds('10.0.0.1', 'x'), 0);
    now = 20_000;
    attempts.failed('10.0.0.1');
    assert.equal(attempts.waitSeconds('10.0.0.1', 'x'), 40);
    assert.equal(attempts.waitSeconds('10.0.0.2', 'x'), 0);
    now = 60_000;
    assert.equal(attempts.waitSeconds('10.0.0.1', 'x'), 0);
    attempts.failed('10.0.0.1');
    assert.equal(attempts.waitSeconds('10.0.0.1', 'x'), 0, 'counted anew');
  });

  test('a token that was right before is looked at all the same: on one machine everybody is one peer', () => {
    const attempts = failing('127.0.0.1', 50);
    attempts.succeeded('good');
    assert.equal(attempts.waitSeconds('127.0.0.1', 'good'), 0);
    assert.ok(attempts.waitSeconds('127.0.0.1', 'goof') > 0);
  });

  test('all addresses of one IPv6 network count as one', () => {
    const attempts = failing('2001:db8:0:1::5', 20);
    assert.ok(attempts.waitSeconds('2001:db8:0:1:ffff::9', 'x') > 0);
    assert.equal(attempts.waitSeconds('2001:db8:0:2::5', 'x'), 0);
  });

  test('however many peers there are, only the last ten thousand are remembered', () => {
    const attempts = failing('10.0.0.1', 20);
    for (let peer = 0; peer < 10_000; peer++) attempts.failed(`1.1.${peer}`);
    assert.equal(attempts.waitSeconds('10.0.0.1', 'x'), 0);
  });
});
