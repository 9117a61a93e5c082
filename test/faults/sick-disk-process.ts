/** Makes one file of a store fail for a while, and checks its log. Started by `sick-disk.test.ts`. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { draft } from '../../src/journal/store/store.conformance.ts';
import { maxLogPages } from '../../src/store/sqlite/checkpointer.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { until } from '../mcp-servers/boxed.ts';
import { failingWrites } from './disk-faults.ts';

const [, , operation = '', file = ''] = process.argv;
const fault = failingWrites();
const store = sqliteStore({ file });

let calls = 0;
async function append(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    // An entry with a recording is a separate commit.
    await store.append([draft({ call: `call_${(calls += 1)}`, recording: '{}' })]);
    // Messages of the checkpoint thread arrive between two turns of the event loop.
    if (index % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
/** Returns the number of log frames that were moved into the database, from the header of the log's index (sqlite.org/walformat.html). */
function movedFrames(): number {
  return readFileSync(`${file}-shm`).readUInt32LE(96);
}

if (operation === 'flush') {
  await append(20);
  const before = statSync(`${file}-wal`).size;
  assert.ok(before > 0);
  fault.begin(0);
  for (let round = 0; round < 3; round += 1)
    await assert.rejects(store.sync(), /signalbox\.db cannot be (flushed to disk|read or written) .*; check its disk/);
  fault.end();
  await Promise.all([store.sync(), store.sync()]);
  assert.equal(statSync(`${file}-wal`).size, 0, 'a log that may have a hole is not continued');
  await append(20);
  await store.sync();
} else {
  fault.begin(0);
  await append(1100);
  await wait(500);
  assert.equal(movedFrames(), 0);
  fault.end();
  await append(1100);
  await until(() => movedFrames() > 0, 'the log is moved again');
  assert.ok(statSync(`${file}-wal`).size < maxLogPages * 4096, 'no commit had to move it');
}
await store.close();
