import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { CallClock } from './call-clock.ts';
import { Waits } from './waits.ts';

const never = new Promise<never>(() => undefined);

/** Runs a script in another process until its event loop is empty. */
function run(script: string): { output: string; isTimedOut: boolean } {
  const imported = `const { Waits } = await import(${JSON.stringify(new URL('./waits.ts', import.meta.url).href)});`;
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', imported + script], {
    timeout: 20_000,
  });
  return { output: stdout.toString().trim(), isTimedOut: signal !== null };
}

describe('Waits', () => {
  test('end each wait at its own deadline, whatever the order in which they began', async () => {
    const waits = new Waits();
    const now = Date.now();
    const ended: string[] = [];
    const wait = async (name: string, deadline: number | CallClock | undefined): Promise<void> => {
      const waited = await waits.until(never, undefined, deadline);
      assert.ok('ended' in waited);
      ended.push(`${name} ${waited.ended}`);
    };
    const moved = new CallClock(now + 20, undefined);
    const pending = [wait('last', undefined), wait('third', now + 600), wait('first', now + 40), wait('second', moved)];
    const release = moved.hold();
    setTimeout(release, 60);
    await Promise.all(pending.slice(1));
    waits.endAll();
    await Promise.all(pending);
    assert.deepEqual(ended, ['first timed-out', 'second timed-out', 'third timed-out', 'last closed']);
  });

  test('do not keep the process alive after they have ended', () => {
    const { output, isTimedOut } = run(`
      const waits = new Waits();
      for (let round = 0; round < 3; round += 1) await waits.until(Promise.resolve(), undefined, Date.now() + 60_000);
      console.log('over');`);
    assert.deepEqual([output, isTimedOut], ['over', false]);
  });

  test('keep the process alive until the deadline of an open wait', () => {
    const { output, isTimedOut } = run(`
      const waits = new Waits();
      await waits.until(Promise.resolve(), undefined, Date.now() + 300);
      const { ended } = await waits.until(new Promise(() => undefined), undefined, Date.now() + 400);
      console.log(ended);`);
    assert.deepEqual([output, isTimedOut], ['timed-out', false]);
  });
});
