import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { whileLocked } from './file-lock.ts';

const directory = mkdtempSync(join(tmpdir(), 'signalbox-lock-'));
after(() => rmSync(directory, { recursive: true }));

test('what is done under a lock is done one after the other, and leaves no file', async () => {
  const file = join(directory, 'new', 'one.lock');
  let inside = 0;
  const most: number[] = [];
  const work = async (): Promise<void> => {
    most.push((inside += 1));
    await wait(20);
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 5 }, () => whileLocked(file, 60_000, work)));
  assert.deepEqual(most, [1, 1, 1, 1, 1]);
  assert.ok(!existsSync(file));
  await assert.rejects(
    whileLocked(file, 60_000, () => Promise.reject(new Error('no luck'))),
    /no luck/,
  );
  assert.ok(!existsSync(file));
});

test('a lock that a dead process left behind is taken over', async () => {
  const file = join(directory, 'left.lock');
  writeFileSync(file, '');
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(file, longAgo, longAgo);
  assert.equal(await whileLocked(file, 60_000, () => Promise.resolve('done')), 'done');
  assert.ok(!existsSync(file));
});
