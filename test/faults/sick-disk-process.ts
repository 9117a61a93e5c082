/** Lets one file of a store fail for a while, and looks at what becomes of its log. Run by `sick-disk.test.ts`. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { draft } from '../../src/journal/store/store.conformance.ts';
import { maxLogPages } from '../../src/store/sqlite/checkpointer.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { until } from '../mcp-servers/boxed.ts';
import { failingWrites } from './room.ts';

const [, , what = '', file = ''] = process.argv;
const room = failingWrites();
const store = sqliteStore({ file });

let calls = 0;
async function append(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    // With a recording it is a commit of its own.
    await store.append([draft({ call: `call_${(calls += 1)}`, recording: '{}' })]);
    // The thread that moves the log is heard of between two turns.
    if (index % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
/** From the header of the log's index (sqlite.org/walformat.html): how many frames of the log were moved. */
function moved(): number {
  return readFileSync(`${file}-shm`).readUInt32LE(96);
}

if (what === 'flush') {
  await append(20);
  const before = statSync(`${file}-wal`).size;
  assert.ok(before > 0);
  room.take(0);
  for (let round = 0; round < 3; round += 1)
    await assert.rejects(store.sync(), /signalbox\.db cannot be (flushed to disk|read or written) .*; check its disk/);
  room.giveBack();
  await Promise.all([store.sync(), store.sync()]);
  assert.equal(statSync(`${file}-wal`).size, 0, 'the log that may have a hole is not written on');
  await append(20);
  await store.sync();
} else {
  room.take(0);
  await append(1100);
  await wait(500);
  assert.equal(moved(), 0);
  room.giveBack();
  await append(1100);
  await until(() => moved() > 0, 'the log is moved again');
  assert.ok(statSync(`${file}-wal`).size < maxLogPages * 4096, 'and no commit had to do it');
}
await store.close();
