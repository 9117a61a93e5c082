import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { CallClock } from './call-clock.ts';
import { Waits } from './waits.ts';

const never = new Promise<never>(() => undefined);

/** Runs a script in a process of its own, for as long as that has something to wait for. */
function run(script: string): { output: string; isLate: boolean } {
  const imported = `const { Waits } = await import(${JSON.stringify(new URL('./waits.ts', import.meta.url).href)});`;
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', imported + script], {
    timeout: 20_000,
  });
  return { output: stdout.toString().trim(), isLate: signal !== null };
}

describe('waits', () => {
  test('each ends at its own deadline, in whatever order they began', async () => {
    const waits = new Waits();
    const now = Date.now();
    const ended: string[] = [];
    const wait = async (name: string, deadline: number | CallClock | undefined): Promise<void> => {
      const waited = await waits.until(never, undefined, deadline);
      assert.ok('ended' in waited);
      ended.push(`${name} ${waited.ended}`);
    };
    const moved = new CallClock(now + 20, undefined);
    const going = [wait('last', undefined), wait('third', now + 600), wait('first', now + 40), wait('second', moved)];
    const release = moved.hold();
    setTimeout(release, 60);
    await Promise.all(going.slice(1));
    waits.endAll();
    await Promise.all(going);
    assert.deepEqual(ended, ['first timed-out', 'second timed-out', 'third timed-out', 'last closed']);
  });

  test('a wait that is over does not keep the process alive', () => {
    const { output, isLate } = run(`
      const waits = new Waits();
      for (let round = 0; round < 3; round += 1) await waits.until(Promise.resolve(), undefined, Date.now() + 60_000);
      console.log('over');`);
    assert.deepEqual([output, isLate], ['over', false]);
  });

  test('a wait that is not over does, until its deadline', () => {
    const { output, isLate } = run(`
      const waits = new Waits();
      await waits.until(Promise.resolve(), undefined, Date.now() + 300);
      const { ended } = await waits.until(new Promise(() => undefined), undefined, Date.now() + 400);
      console.log(ended);`);
    assert.deepEqual([output, isLate], ['timed-out', false]);
  });
});
