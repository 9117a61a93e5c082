import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patientScheduler } from './patient-scheduler.ts';

// A fault of the TypeScript SDK that does not reach us: #2682, a stream that is closed when idle is opened again without end.
test('a server that ends every stream at once is asked ever more rarely; one that held it for long, soon again', (t) => {
  t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 0 });
  const schedule = patientScheduler();
  const pauses: number[] = [];
  const asked = (): void => {
    const since = Date.now();
    schedule(() => pauses.push(Date.now() - since), 1000);
    for (const before = pauses.length; pauses.length === before;) t.mock.timers.tick(1000);
  };
  for (let attempt = 0; attempt < 7; attempt += 1) asked();
  assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  t.mock.timers.tick(10 * 60_000);
  asked();
  assert.equal(pauses.at(-1), 1000);
  const cancel = schedule(() => pauses.push(0), 1000);
  cancel();
  t.mock.timers.tick(60_000);
  assert.equal(pauses.at(-1), 1000);
});
