import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { verifyChain } from '../../journal/integrity/hash-chain.ts';
import { draft } from '../../journal/store/store.conformance.ts';
import type { Store } from '../../journal/store/store.ts';
import { Checkpointer, maxLogPages } from './checkpointer.ts';
import { sqliteStore } from './sqlite-store.ts';

function temporary(t: { after(work: () => void): void }): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-checkpoint-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'signalbox.db');
}

/** Opens a store that is closed with its test, even when the test fails, because its thread would keep the process alive. */
function openStore(t: { after(work: () => Promise<void>): void }, file: string): Store {
  const store = sqliteStore({ file });
  t.after(() => store.close());
  return store;
}

/** Appends entries, each with a recording, which makes it a separate commit. */
async function appendOneByOne(store: Store, entries: number): Promise<void> {
  for (let written = 0; written < entries; written += 1)
    await store.append([draft({ call: `call_${written}`, recording: '{}' })]);
}

/** Reads from the header of the WAL index (sqlite.org/walformat.html) the number of frames and of checkpointed frames. */
function log(file: string): { frames: number; moved: number } {
  const header = readFileSync(`${file}-shm`);
  return { frames: header.readUInt32LE(16), moved: header.readUInt32LE(96) };
}

async function eventually(holds: () => boolean, what: string): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    assert.ok(tries < 500, what);
    await wait(20);
  }
}

describe('Checkpointer', () => {
  test('checkpoints the log in a thread, and the log restarts when commits pause', async (t) => {
    const file = temporary(t);
    const store = openStore(t, file);
    await appendOneByOne(store, 1500);
    assert.ok(log(file).frames < maxLogPages, 'no commit did the checkpoint');
    await eventually(() => log(file).moved === log(file).frames, 'the whole log is checkpointed');
    await appendOneByOne(store, 1);
    assert.ok(log(file).frames < 500, `the log has ${log(file).frames} pages`);
  });

  test('the log stays bounded while the thread gets no further request', async (t) => {
    const file = temporary(t);
    const store = openStore(t, file);
    // Without a turn of the event loop, no message of the thread arrives, so only one checkpoint is requested.
    await appendOneByOne(store, maxLogPages * 2);
    // Beyond that, the log grows only while the thread, which may wait for a processor, runs its one checkpoint.
    assert.ok(statSync(`${file}-wal`).size < maxLogPages * 4120 * 2);
    assert.deepEqual(await verifyChain(store).then(({ ok, entries }) => [ok, entries]), [true, maxLogPages * 2]);
  });

  test('closing waits for a checkpoint in progress and leaves no log file', async (t) => {
    const file = temporary(t);
    for (let round = 1; round <= 5; round += 1) {
      const store = sqliteStore({ file });
      await appendOneByOne(store, 1000);
      await wait(round * 10);
      await store.close();
      assert.equal(existsSync(`${file}-wal`), false, 'the last connection removes the log');
    }
    const store = sqliteStore({ file });
    assert.deepEqual(await verifyChain(store).then(({ ok, entries }) => [ok, entries]), [true, 5000]);
    await store.close();
  });

  test('a thread that fails does not disturb commits', async (t) => {
    const checkpointer = new Checkpointer(join(temporary(t), 'no', 'such', 'directory.db'));
    for (let round = 0; round < 3; round += 1) {
      for (let commit = 0; commit < 2000; commit += 1) checkpointer.committed(1);
      await wait(100);
    }
    await checkpointer.close();
  });

  test('two stores on one file, each with its own thread, share one chain', async (t) => {
    const file = temporary(t);
    const stores = [sqliteStore({ file }), sqliteStore({ file })];
    for (let round = 0; round < 30; round += 1) {
      for (const store of stores) await appendOneByOne(store, 100);
      await wait(1);
    }
    const [one, two] = stores;
    assert.ok(one !== undefined && two !== undefined);
    await one.close();
    assert.deepEqual(await verifyChain(two).then(({ ok, entries }) => [ok, entries]), [true, 6000]);
    await two.close();
  });

  test('keeps acknowledged entries when the process is killed during a checkpoint', async (t) => {
    const file = temporary(t);
    const script = `
      const { sqliteStore } = await import(${JSON.stringify(new URL('./sqlite-store.ts', import.meta.url).href)});
      const { writeSync } = await import('node:fs');
      const store = sqliteStore({ file: ${JSON.stringify(file)} });
      for (let count = 1; ; count += 1) {
        const [entry] = await store.append([${JSON.stringify(draft())}]);
        if (count % 100 === 0) {
          writeSync(1, entry.seq + '\\n');
          await new Promise((resolve) => setImmediate(resolve));
        }
      }`;
    let acknowledged = 0;
    for (let round = 0; round < 8; round += 1) {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (piece: string) => (output += piece));
      const before = acknowledged;
      await eventually(() => lastOf(output) > before + 5000, 'the process writes enough for a checkpoint');
      await wait(round * 17);
      child.kill('SIGKILL');
      await once(child, 'close');
      acknowledged = lastOf(output);
    }
    const store = sqliteStore({ file });
    const { ok, entries } = await verifyChain(store);
    assert.ok(ok);
    assert.ok(entries >= acknowledged, `${acknowledged} were acknowledged, ${entries} are there`);
    await store.close();
  });
});

/** Returns the number on the last complete line. */
function lastOf(output: string): number {
  return Number(output.split('\n').at(-2) ?? 0);
}
