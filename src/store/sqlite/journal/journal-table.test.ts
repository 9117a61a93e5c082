import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, describe, test } from 'node:test';
import fc from 'fast-check';
import { readArchives } from '../../../journal/pruning/archive-file.ts';
import { linkHash, verifyChain } from '../../../journal/integrity/hash-chain.ts';
import { pruneJournal } from '../../../journal/pruning/prune-journal.ts';
import { draft } from '../../../journal/store/store.conformance.ts';
import type { Appended, Store } from '../../../journal/store/store.ts';
import { sqliteStore } from '../sqlite-store.ts';

interface TestJournal {
  readonly file: string;
  open(): Store;
  /** The number of entries in the table, without those in a tail. */
  inTable(): number;
  tails(): string[];
}

function testJournal(t: TestContext): TestJournal {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-tail-'));
  const file = join(directory, 'signalbox.db');
  const opened: Store[] = [];
  t.after(async () => {
    await Promise.all(opened.map(async (store) => store.close().catch(() => undefined)));
    rmSync(directory, { recursive: true });
  });
  return {
    file,
    open() {
      const store = sqliteStore({ file });
      opened.push(store);
      return store;
    },
    inTable() {
      const database = new DatabaseSync(file);
      const { entries } = database.prepare('SELECT count(*) AS entries FROM journal').get() as { entries: number };
      database.close();
      return entries;
    },
    tails: () =>
      readdirSync(`${file}-writers`)
        .filter((name) => name.endsWith('.tail'))
        .map((name) => join(`${file}-writers`, name)),
  };
}

/** The number of uncontended appends after which a store holds the tail. */
const warmUpAppends = 40;
const holeSize = 16;

async function warmUp(store: Store): Promise<void> {
  for (let round = 0; round < warmUpAppends; round += 1) await store.append([draft({ call: `before_${round}` })]);
}

async function callsOf(store: Store): Promise<string[]> {
  return (await store.entries({ order: 'oldest-first', limit: 10_000 })).map(({ call }) => call);
}

/** Appends this many entries in one turn of the event loop. */
function burst(store: Store, entries: number): Promise<Appended>[] {
  return Array.from({ length: entries }, async (_, index) => store.append([draft({ call: `burst_${index}` })]));
}

/** Returns the number of turns of the event loop during some work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    turning = setImmediate(count);
  };
  let turning = setImmediate(count);
  await work();
  clearImmediate(turning);
  return turns;
}

/** Appends in a separate process and kills it; with `isHalfIndexed`, when a part of the entries is in the table. */
async function appendAndKill(file: string, calls: readonly string[], isHalfIndexed = false): Promise<void> {
  const script = `
    const { sqliteStore } = await import(${JSON.stringify(new URL('../sqlite-store.ts', import.meta.url).href)});
    const store = sqliteStore({ file: ${JSON.stringify(file)} });
    for (let round = 0; round < ${warmUpAppends}; round += 1)
      await store.append([${JSON.stringify(draft({ call: 'before' }))}]);
    await store.entries({ order: 'oldest-first', limit: 1 });
    for (const call of ${JSON.stringify(calls)}) await store.append([{ ...${JSON.stringify(draft())}, call }]);
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(${JSON.stringify(file)});
    const count = database.prepare('SELECT count(*) AS entries FROM journal');
    while (${isHalfIndexed} && count.get().entries <= ${warmUpAppends}) await new Promise((resolve) => setImmediate(resolve));
    process.kill(process.pid, 'SIGKILL');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL');
}

describe('JournalTable', () => {
  test('acknowledges entries of a sole writer before they are in the table', async (t) => {
    const { open, inTable, tails } = testJournal(t);
    const store = open();
    await warmUp(store);
    const before = inTable();
    const [entry] = await store.append([draft({ call: 'a' })]);
    assert.equal(inTable(), before);
    assert.equal(tails().length, 1);
    const found = await store.entries({ order: 'newest-first', limit: 1 });
    assert.equal(found[0]?.call, 'a');
    assert.equal(found[0]?.hash, entry?.hash);
    assert.ok((await verifyChain(store)).ok);
  });

  test('moves entries from the tail into the table and the index automatically', async (t) => {
    const { open, inTable } = testJournal(t);
    const store = open();
    await warmUp(store);
    await store.append([draft({ call: 'a' })]);
    while (inTable() < warmUpAppends + 1) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(await store.anchor(), {
      seq: warmUpAppends + 1,
      hash: (await store.entries({ order: 'newest-first', limit: 1 }))[0]?.hash,
    });
  });

  test('`sync` moves all entries into the table before it resolves', async (t) => {
    const { open, inTable } = testJournal(t);
    const store = open();
    await warmUp(store);
    await store.append([draft({ call: 'a' })]);
    await store.append([draft({ call: 'b', type: 'CallStarted', outcome: '' })]);
    await store.sync();
    assert.equal(inTable(), warmUpAppends + 2);
  });

  test('another process reads acknowledged entries without revoking the tail', async (t) => {
    const { open, tails } = testJournal(t);
    const [writer, reader] = [open(), open()];
    await warmUp(writer);
    const tailsBefore = tails();
    for (const call of ['a', 'b', 'c']) {
      await writer.append([draft({ call })]);
      assert.equal((await reader.entries({ order: 'newest-first', limit: 1 }))[0]?.call, call);
      assert.equal((await reader.entries({ order: 'newest-first', limit: 9, call }))[0]?.call, call);
    }
    assert.deepEqual(tails(), tailsBefore);
    assert.equal((await verifyChain(writer)).entries, warmUpAppends + 3);
    assert.ok((await verifyChain(reader)).ok);
  });

  test('another process that writes revokes the tail and continues the chain after all acknowledged entries', async (t) => {
    const { open, tails } = testJournal(t);
    const [one, two] = [open(), open()];
    await warmUp(one);
    await one.append([draft({ call: 'a' })]);
    await two.append([draft({ call: 'b' })]);
    assert.deepEqual(tails(), []);
    await one.append([draft({ call: 'c' }), draft({ call: 'd' })]);
    await two.append([draft({ call: 'e' })]);
    assert.deepEqual((await callsOf(one)).slice(warmUpAppends), ['a', 'b', 'c', 'd', 'e']);
    assert.ok((await verifyChain(two)).ok);
    await warmUp(two);
    assert.equal(tails().length, 1, 'the process that is the sole writer now holds a tail');
  });

  test('keeps acknowledged entries of a process that is killed before they are in the table', async (t) => {
    const { file, open, inTable } = testJournal(t);
    await appendAndKill(file, ['a', 'b', 'c']);
    assert.equal(inTable(), warmUpAppends);
    const store = open();
    assert.deepEqual((await callsOf(store)).slice(warmUpAppends), ['a', 'b', 'c']);
    assert.ok((await verifyChain(store)).ok);
    await store.append([draft({ call: 'd' })]);
    await store.close();
    const again = open();
    assert.deepEqual((await callsOf(again)).slice(warmUpAppends), ['a', 'b', 'c', 'd']);
    assert.deepEqual(await verifyChain(again).then(({ ok, entries }) => [ok, entries]), [true, warmUpAppends + 4]);
  });

  test('keeps exactly the complete batches of a tail that is torn at any position', async (t) => {
    const { file, tails } = testJournal(t);
    await appendAndKill(file, ['a', 'béb', 'c']);
    const [tail = ''] = tails();
    const whole = readFileSync(tail);
    const every = [...whole.keys()].filter((at) => whole.subarray(at - 2, at + 1).toString() === '}\n\n');
    // The entries before them are in the table.
    const ends = every.slice(-3);
    const first = every.at(-4) ?? 0;
    const tearing = fc.record({
      cut: fc.integer({ min: first + 1, max: whole.length }),
      remainder: fc.constantFrom('nothing', 'a hole', 'a hole and the rest'),
    });
    await fc.assert(
      fc.asyncProperty(tearing, async ({ cut, remainder }) => {
        const copy = mkdtempSync(join(tmpdir(), 'signalbox-torn-'));
        cpSync(dirname(file), copy, { recursive: true });
        const torn = tail.replace(dirname(file), copy);
        truncateSync(torn, cut);
        // A power loss may leave a file of the right length with a part of its content, or none.
        if (remainder !== 'nothing') appendFileSync(torn, Buffer.alloc(Math.min(holeSize, whole.length - cut)));
        if (remainder === 'a hole and the rest') appendFileSync(torn, whole.subarray(cut + holeSize));
        const complete = ends.filter((end) => end < cut).length;
        const store = sqliteStore({ file: join(copy, 'signalbox.db') });
        assert.deepEqual((await callsOf(store)).slice(warmUpAppends), ['a', 'béb', 'c'].slice(0, complete));
        await store.append([draft({ call: 'd' })]);
        assert.deepEqual(await verifyChain(store).then(({ ok, entries }) => [ok, entries]), [
          true,
          warmUpAppends + 1 + complete,
        ]);
        await store.close();
        rmSync(copy, { recursive: true });
      }),
      {
        numRuns: 25,
        examples: [
          [{ cut: first + 1, remainder: 'a hole' }],
          [{ cut: first + 3, remainder: 'a hole and the rest' }],
          [{ cut: whole.length, remainder: 'nothing' }],
        ],
      },
    );
  });

  test('continues without a tail file that was removed', async (t) => {
    const { file, tails, open } = testJournal(t);
    await appendAndKill(file, ['a']);
    for (const tail of tails()) rmSync(tail);
    const store = open();
    await store.append([draft({ call: 'b' })]);
    assert.deepEqual((await callsOf(store)).slice(warmUpAppends), ['b']);
    assert.ok((await verifyChain(store)).ok);
  });

  test('keeps all entries when an earlier version, which ignores tails, writes in between', async (t) => {
    const { file, open } = testJournal(t);
    const store = open();
    await warmUp(store);
    await store.append([draft({ call: 'a' }), draft({ call: 'b' })]);
    const [head] = await store.entries({ order: 'newest-first', limit: 1 });
    await store.append([draft({ call: 'c' })]);
    const older = new DatabaseSync(file);
    older
      .prepare(
        `INSERT INTO journal SELECT seq + 1, at, type, 'older', session, tool, outcome, writer, body, hash FROM journal WHERE seq = ?`,
      )
      .run(head?.seq ?? 0);
    older.close();
    assert.deepEqual((await callsOf(store)).slice(warmUpAppends), ['a', 'b', 'older', 'c']);
  });

  test('links pending entries to the newest entry of the table, even if that was changed', async (t) => {
    const { file, open } = testJournal(t);
    const store = open();
    await warmUp(store);
    await store.append([draft({ call: 'a' })]);
    await store.sync();
    await store.append([draft({ call: 'b' })]);
    const database = new DatabaseSync(file);
    const other = 'f'.repeat(64);
    database.prepare('UPDATE journal SET hash = ? WHERE seq = ?').run(other, warmUpAppends + 1);
    database.close();
    const [entry] = await store.entries({ order: 'newest-first', limit: 1 });
    assert.equal(entry?.call, 'b');
    assert.equal(entry.hash, linkHash(other, entry));
  });

  test('does not restore pruned entries from the tail of a killed process', async (t) => {
    const { file, open } = testJournal(t);
    await appendAndKill(file, ['a', 'b', 'c']);
    const store = open();
    const archive = `${file}.jsonl`;
    const { last = 0 } = await pruneJournal(store, { before: Number.MAX_SAFE_INTEGER, archive });
    assert.equal(last, warmUpAppends + 2);
    // Pruning adds an entry without a call.
    assert.deepEqual(await callsOf(store), ['c', '']);
    const again = open();
    await again.append([draft({ call: 'd' })]);
    assert.deepEqual(await callsOf(again), ['c', '', 'd']);
    assert.ok((await verifyChain(again, { archive: readArchives([archive]) })).ok);
  });

  test('closing removes the tail', async (t) => {
    const { open, tails, inTable } = testJournal(t);
    const store = open();
    await warmUp(store);
    await store.append([draft({ call: 'a' })]);
    await store.close();
    assert.deepEqual([tails(), inTable()], [[], warmUpAppends + 1]);
  });

  test('writes an entry with a line break in a name directly to the table', async (t) => {
    const { open, inTable } = testJournal(t);
    const store = open();
    await warmUp(store);
    await store.append([draft({ session: 'two\nlines' })]);
    assert.equal(inTable(), warmUpAppends + 1);
  });

  test('acknowledges a burst before it is in the table, and moves it after the burst', async (t) => {
    const { open, inTable } = testJournal(t);
    const store = open();
    await warmUp(store);
    const before = inTable();
    const appending = burst(store, 1500);
    assert.equal(inTable(), before);
    const last = (await Promise.all(appending)).at(-1)?.[0];
    while ((await store.anchor()).seq < warmUpAppends + 1500) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(await store.anchor(), { seq: last?.seq, hash: last?.hash });
    assert.deepEqual(await verifyChain(store).then(({ ok, entries }) => [ok, entries]), [true, warmUpAppends + 1500]);
  });

  test('indexes entries during continuous appends', async (t) => {
    const { open } = testJournal(t);
    const store = open();
    await warmUp(store);
    let appended = 0;
    for (; appended < 100_000 && (await store.anchor()).seq < 5000; appended += 8) {
      await store.append(Array.from({ length: 8 }, () => draft()));
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(appended < 100_000, 'the index did not reach entry 5,000');
  });

  test('bounds the pending entries in number and in bytes', async (t) => {
    const { open, inTable } = testJournal(t);
    const store = open();
    await warmUp(store);
    void burst(store, 5000);
    const many = inTable();
    assert.ok(many > warmUpAppends, 'some of 5,000 entries are in the table');
    const body = JSON.stringify('x'.repeat(1024 * 1024));
    for (let index = 0; index < 12; index += 1) await store.append([draft({ body })]);
    assert.ok(inTable() > warmUpAppends + 5000, 'some of 12 MB are in the table');
  });

  test('yields to the event loop while it moves and indexes the entries of a burst', async (t) => {
    const { open } = testJournal(t);
    const store = open();
    await warmUp(store);
    const operations = {
      sync: () => store.sync(),
      entries: () => store.entries({ order: 'newest-first', limit: 1, call: 'burst_1499' }),
      samples: () => store.samples({ since: 0, until: Date.now(), limit: 1 }),
    };
    for (const [name, operation] of Object.entries(operations)) {
      void burst(store, 1500);
      const turns = await turnsDuring(operation);
      assert.ok(turns >= 4, `${name}: ${turns} turns`);
    }
  });

  test('keeps all entries of a burst when the process is killed while a part is in the table', async (t) => {
    const { file, open, inTable } = testJournal(t);
    const calls = Array.from({ length: 2000 }, (_, index) => `call_${index}`);
    await appendAndKill(file, calls, true);
    assert.ok(inTable() < warmUpAppends + calls.length, `${inTable()} are in the table`);
    const store = open();
    assert.deepEqual((await callsOf(store)).slice(warmUpAppends), calls);
    await store.append([draft({ call: 'later' })]);
    assert.deepEqual(await verifyChain(store).then(({ ok, entries }) => [ok, entries]), [true, warmUpAppends + 2001]);
  });

  for (const [what, length] of [
    ['a short tail', 1000],
    ['a long tail', 100_000],
  ] as const) {
    test(`a reader in the middle of ${what} never reads a mix of old and new bytes`, async (t) => {
      const { open, tails } = testJournal(t);
      const store = open();
      await warmUp(store);
      await store.append([draft({ call: 'a', body: JSON.stringify('a'.repeat(length)) })]);
      const [tail = ''] = tails();
      const whole = readFileSync(tail);
      const descriptor = openSync(tail, 'r');
      const half = Buffer.alloc(whole.length >> 1);
      readSync(descriptor, half);
      await store.sync();
      await store.append([draft({ call: 'b', body: JSON.stringify('b'.repeat(length * 2)) })]);
      const read = Buffer.concat([half, readFileSync(descriptor)]);
      closeSync(descriptor);
      assert.ok(read.subarray(0, whole.length).equals(whole));
      assert.equal(tails().length, 1);
      assert.deepEqual((await callsOf(open())).slice(warmUpAppends), ['a', 'b']);
    });
  }

  test('does not restore pruned entries from the tail of the process that pruned', async (t) => {
    const { file, open, tails } = testJournal(t);
    const store = open();
    await warmUp(store);
    for (const call of ['a', 'b']) await store.append([draft({ call })]);
    await store.append([draft({ call: 'c', recording: '{}' })]);
    await pruneJournal(store, { before: Number.MAX_SAFE_INTEGER, archive: `${file}.jsonl` });
    assert.equal(tails().length, 1);
    // Pruning adds an entry without a call.
    assert.deepEqual(await callsOf(open()), ['c', '']);
  });
});
