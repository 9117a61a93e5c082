import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReconnectDelay } from './reconnect-delay.ts';

// A fault of the TypeScript SDK that does not reach us: #2682, a stream that is closed when idle is opened again without end.
test('the pause doubles while a server ends every stream at once, and starts again after a stream that lasted', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
  const delay = new ReconnectDelay();
  const pauses = Array.from({ length: 7 }, () => {
    const pause = delay.next(1000);
    t.mock.timers.tick(pause);
    return pause;
  });
  assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  t.mock.timers.tick(10 * 60_000);
  assert.equal(delay.next(1000), 1000);
});
