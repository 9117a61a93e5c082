import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { verifyChain } from '../../journal/chain.ts';
import type { StoredEntry } from '../../journal/entry.ts';
import { pruneJournal } from '../../journal/prune.ts';
import { draft } from '../../journal/store.conformance.ts';
import type { Store } from '../../journal/store.ts';
import { command } from '../../../test/support/command.ts';
import { StoreThread, longestLog } from './store-thread.ts';
import { sqliteStore } from './sqlite-store.ts';

function temporary(t: { after(work: () => void): void }): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-checkpoint-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, 'signalbox.db');
}

/** A store that is closed with its test, also when that fails: its thread would keep the file of tests from ending. */
function opened(t: { after(work: () => Promise<void>): void }, file: string): Store {
  const store = sqliteStore({ file });
  t.after(() => store.close());
  return store;
}

/** Each with a recording, which makes it a commit of its own. */
async function appendOneByOne(store: Store, entries: number): Promise<void> {
  for (let written = 0; written < entries; written += 1)
    await store.append([draft({ call: `call_${written}`, recording: '{}' })]);
}

/** From the header of the log's index (sqlite.org/walformat.html): frames in the log, and how many of them were moved. */
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

describe('checkpoints of the log', () => {
  test('the log is moved beside the commits, and begins anew when they pause', async (t) => {
    const file = temporary(t);
    const store = opened(t, file);
    await appendOneByOne(store, 1500);
    assert.ok(log(file).frames < longestLog, 'no commit had to do it');
    await eventually(() => log(file).moved === log(file).frames, 'everything is moved');
    await appendOneByOne(store, 1);
    assert.ok(log(file).frames < 500, `the log has ${log(file).frames} pages`);
  });

  test('the log stays bounded when the thread never gets to it', async (t) => {
    const file = temporary(t);
    const store = opened(t, file);
    // Without a turn of the event loop nobody hears that the thread is done, and it is asked only once.
    await appendOneByOne(store, longestLog * 2);
    // Beyond that it grows only while the thread, which may have to wait for a processor, is in the middle of its one checkpoint.
    assert.ok(statSync(`${file}-wal`).size < longestLog * 4120 * 2);
    assert.deepEqual(await verifyChain(store).then(({ ok, entries }) => [ok, entries]), [true, longestLog * 2]);
  });

  test('closing lets a checkpoint under way end, and leaves no log behind', async (t) => {
    const file = temporary(t);
    for (let round = 1; round <= 5; round += 1) {
      const store = sqliteStore({ file });
      await appendOneByOne(store, 1000);
      await wait(round * 10);
      await store.close();
      assert.equal(existsSync(`${file}-wal`), false, 'the last connection takes the log with it');
    }
    const store = sqliteStore({ file });
    assert.deepEqual(await verifyChain(store).then(({ ok, entries }) => [ok, entries]), [true, 5000]);
    await store.close();
  });

  test('two stores on one file, each with its thread, keep one chain', async (t) => {
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

  test('kill -9 while the thread works: what was acknowledged is kept, the chain verifies, the index is whole', async (t) => {
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
      await eventually(() => lastOf(output) > before + 5000, 'it writes enough for a checkpoint');
      await wait(round * 17);
      child.kill('SIGKILL');
      await once(child, 'close');
      acknowledged = lastOf(output);
    }
    const store = sqliteStore({ file });
    const { ok, entries } = await verifyChain(store);
    assert.ok(ok);
    assert.ok(entries >= acknowledged, `${acknowledged} were acknowledged, ${entries} are there`);
    const indexed = await store.entries({ order: 'oldest-first', limit: 1_000_000, calls: true });
    assert.equal(indexed.length, entries);
    await store.close();
  });
});

describe('the thread that brings the tail in', () => {
  test('whoever looks finds everything acknowledged, in the journal and its index, also from another process', async (t) => {
    const file = temporary(t);
    const [store, other] = [opened(t, file), opened(t, file)];
    await settled(store);
    for (let round = 1; round <= 4; round += 1) {
      await appendMany(store, burst, `round_${round}`);
      for (const reader of round % 2 === 0 ? [store, other] : [other, store]) {
        const [last] = await reader.entries({ order: 'newest-first', limit: 1 });
        assert.equal(last?.call, `round_${round}_${burst - 1}`);
        const [first] = await reader.entries({ order: 'newest-first', limit: 1, call: `round_${round}_0` });
        assert.equal(first?.seq, last.seq - burst + 1);
      }
      await wait(round * 7);
    }
    assert.ok((await verifyChain(other)).ok);
    assert.deepEqual(await verifyChain(store).then(({ ok, entries }) => [ok, entries]), [true, 4 * burst + peace]);
  });

  test('the hash that was told at once is the one that stands in the table', async (t) => {
    const store = opened(t, temporary(t));
    await settled(store);
    const told = await appendMany(store, burst, 'one');
    const early = told.slice(100, 200).map(({ hash }) => hash);
    await wait(150);
    told.push(...(await appendMany(store, burst, 'two')));
    const kept = await store.entries({ order: 'oldest-first', limit: 1_000_000, after: peace });
    assert.deepEqual(
      told.map(({ seq, hash }) => [seq, hash]),
      kept.map(({ seq, hash }) => [seq, hash]),
    );
    assert.deepEqual(
      early,
      kept.slice(100, 200).map(({ hash }) => hash),
    );
  });

  test('more than the thread gets to is brought in all the same, and each entry has its place', async (t) => {
    const file = temporary(t);
    const store = opened(t, file);
    await settled(store);
    const told: StoredEntry[] = [];
    // Without a turn of the event loop nobody hears of the thread.
    for (let count = 0; count < 10_000; count += 1) {
      const [entry] = await store.append([draft({ call: `call_${count}` })]);
      if (entry !== undefined) told.push(entry);
    }
    assert.ok(inTable(file) > 5000);
    const kept = await store.entries({ order: 'oldest-first', limit: 1_000_000, after: peace });
    assert.deepEqual(
      told.map(({ seq, call, hash }) => [seq, call, hash]),
      kept.map(({ seq, call, hash }) => [seq, call, hash]),
    );
    assert.ok((await verifyChain(store)).ok);
  });

  test('what is committed meanwhile keeps its place, and a sync leaves nothing in the tail', async (t) => {
    const file = temporary(t);
    const store = opened(t, file);
    await settled(store);
    for (let round = 0; round < 10; round += 1) {
      await appendMany(store, burst / 4, `read_${round}`);
      await store.append([draft({ call: `claimed_${round}`, claim: { key: `key_${round}`, fingerprint: '' } })]);
      await appendMany(store, burst / 4, `more_${round}`);
      await store.sync();
      assert.equal(inTable(file), peace + (round + 1) * (burst / 2 + 1));
    }
    const calls = await store.entries({ order: 'oldest-first', limit: 1_000_000, calls: true });
    assert.equal(new Set(calls.map(({ call }) => call)).size, calls.length);
    assert.deepEqual(await verifyChain(store).then(({ ok, entries }) => [ok, entries]), [true, calls.length]);
  });

  test('a tail does not grow for ever, and keeps nothing that was pruned', async (t) => {
    const file = temporary(t);
    const store = opened(t, file);
    await settled(store);
    const seen = new Set<string>();
    for (let round = 0; round < 30; round += 1) {
      await appendMany(store, 100, `round_${round}`, 'x'.repeat(10_000));
      await wait(20);
      for (const tail of tails(file)) seen.add(tail);
    }
    assert.ok(seen.size > 1, `there were ${seen.size} tails`);
    await eventually(() => tails(file).every((tail) => statSync(tail).size < 20_000_000), 'a long tail makes way');
    await pruneJournal(store, { before: Number.MAX_SAFE_INTEGER, archive: `${file}.jsonl` });
    assert.ok(!tails(file).some((tail) => readFileSync(tail, 'utf8').includes('round_29_98')));
    await store.append([draft({ call: 'after' })]);
    const left = await store.entries({ order: 'oldest-first', limit: 10 });
    assert.deepEqual(
      left.map(({ call }) => call),
      ['round_29_99', 'after'],
    );
  });

  test('a program that has nothing else to do does not end before it has its answer', async (t) => {
    const file = temporary(t);
    const script = `
      const { sqliteStore } = await import(${JSON.stringify(new URL('./sqlite-store.ts', import.meta.url).href)});
      const store = sqliteStore({ file: ${JSON.stringify(file)} });
      const append = async (count) => {
        for (let left = count; left > 0; left -= 1) await store.append([${JSON.stringify(draft())}]);
      };
      await append(1500);
      // A thread that is only starting would keep the program from ending by itself.
      await new Promise((resolve) => setTimeout(resolve, 300));
      await append(700);
      const found = await store.entries({ order: 'newest-first', limit: 1, calls: true });
      console.log(found[0].seq);`;
    const { ok, output } = await command(process.execPath, ['--input-type=module', '-e', script]);
    assert.deepEqual([ok, output.trim()], [true, '2200']);
  });

  test('a thread that ends is not missed, and it is said', async (t) => {
    const file = temporary(t);
    const said = once(process, 'warning') as Promise<[Error]>;
    process.once('worker', (worker: Worker) => setImmediate(() => void worker.terminate()));
    const store = opened(t, file);
    await settled(store);
    for (let round = 0; round < 4; round += 1) {
      await appendMany(store, burst, `round_${round}`);
      await wait(100);
    }
    const [warning] = await said;
    assert.match(warning.message, /the thread that looks after the journal has ended/);
    assert.equal(
      (await store.entries({ order: 'oldest-first', limit: 1_000_000, calls: true })).length,
      4 * burst + peace,
    );
    assert.ok((await verifyChain(store)).ok);
  });

  test('a thread that cannot begin is not missed, and it is said', async (t) => {
    const said = once(process, 'warning') as Promise<[Error]>;
    const directory = join(temporary(t), 'no', 'such');
    const thread = new StoreThread({ file: join(directory, 'file.db'), tails: directory }, () => undefined);
    await thread.broughtIn();
    assert.equal(thread.isAble, false);
    assert.match((await said)[0].message, /has ended \(unable to open database file\)/);
    for (let commit = 0; commit < 2000; commit += 1) thread.committed(1);
    assert.equal(
      thread.first(() => 'done'),
      'done',
    );
    await thread.close();
  });
});

/** Commits in peace until the store holds the tail. */
const peace = 40;
/** So many at once are for the thread. */
const burst = 2400;

async function settled(store: Store): Promise<void> {
  for (let count = 0; count < peace; count += 1) await store.append([draft({ call: `before_${count}` })]);
}

async function appendMany(store: Store, count: number, name: string, body?: string): Promise<StoredEntry[]> {
  const told: StoredEntry[] = [];
  for (let from = 0; from < count; from += 8) {
    const calls = Array.from({ length: Math.min(8, count - from) }, (_, index) => `${name}_${from + index}`);
    const drafts = calls.map((call) => draft({ call, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }));
    for (const entry of await store.append(drafts)) if (entry !== undefined) told.push(entry);
    if (from % 400 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return told;
}

function inTable(file: string): number {
  const database = new DatabaseSync(file);
  const row = database.prepare('SELECT count(*) AS entries FROM journal').get();
  database.close();
  return Number(row?.['entries']);
}

function tails(file: string): string[] {
  return readdirSync(`${file}-writers`)
    .filter((name) => name.endsWith('.tail'))
    .map((name) => join(`${file}-writers`, name));
}

/** The number on the last complete line. */
function lastOf(output: string): number {
  return Number(output.split('\n').at(-2) ?? 0);
}
