import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { within } from '../../../test/support/within.ts';
import { withFileLock } from './file-lock.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-lock-'));
after(() => rmSync(directory, { recursive: true }));

/** Starts a process that holds the lock until its input ends. Resolves when the process has the lock. */
async function startHolder(file: string) {
  const program = `
    const { withFileLock } = await import(${JSON.stringify(new URL('file-lock.ts', import.meta.url).href)});
    await withFileLock(${JSON.stringify(file)}, 60_000, async () => {
      process.stdout.write('locked');
      process.stdin.resume();
      await new Promise((resolve) => process.stdin.once('end', resolve));
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  await within(once(child.stdout, 'data'), 'the lock of the other process');
  return child;
}

describe('withFileLock', () => {
  test('runs work one at a time, also after work that failed', async () => {
    const file = join(directory, 'new', 'one.lock');
    let inside = 0;
    const concurrent: number[] = [];
    const work = async (): Promise<void> => {
      concurrent.push((inside += 1));
      await wait(20);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 5 }, () => withFileLock(file, 60_000, work)));
    assert.deepEqual(concurrent, [1, 1, 1, 1, 1]);
    await assert.rejects(
      withFileLock(file, 60_000, () => Promise.reject(new Error('it failed'))),
      /it failed/,
    );
    assert.equal(await withFileLock(file, 60_000, () => Promise.resolve('done')), 'done');
  });

  test('never takes over the lock of a live process, however old its file', async () => {
    const file = join(directory, 'held.lock');
    const child = await startHolder(file);
    const longAgo = new Date(Date.now() - 3_600_000);
    utimesSync(file, longAgo, longAgo);
    let ran = false;
    await assert.rejects(
      withFileLock(file, 200, async () => {
        ran = true;
        await Promise.resolve();
      }),
      /another process has held the lock .*held\.lock/,
    );
    assert.equal(ran, false);
    const ended = once(child, 'exit');
    child.stdin.end();
    await within(ended, 'the end of the other process');
    assert.equal(await withFileLock(file, 60_000, () => Promise.resolve('done')), 'done');
  });

  test('releases the lock of a killed process, to one waiting caller at a time', async () => {
    const file = join(directory, 'killed.lock');
    const child = await startHolder(file);
    let inside = 0;
    let maxInside = 0;
    const waiting = Array.from({ length: 8 }, () =>
      withFileLock(file, 60_000, async () => {
        maxInside = Math.max(maxInside, (inside += 1));
        await wait(5);
        inside -= 1;
      }),
    );
    child.kill('SIGKILL');
    await within(Promise.all(waiting), 'all waiting callers');
    assert.equal(maxInside, 1);
  });

  test('ignores a lock file of an earlier version', async () => {
    const file = join(directory, 'left.lock');
    writeFileSync(file, '');
    assert.equal(await withFileLock(file, 60_000, () => Promise.resolve('done')), 'done');
    assert.equal(readFileSync(file).length, 0);
  });
});
