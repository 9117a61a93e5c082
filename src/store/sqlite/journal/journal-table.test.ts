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

interface Place {
  readonly file: string;
  open(): Store;
  /** The number of entries in the table, without those in a tail. */
  inTable(): number;
  tails(): string[];
}

function place(t: TestContext): Place {
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

/** Number of uncontended appends after which the store holds the tail. */
const enough = 40;
const holeSize = 16;

async function settleIn(store: Store): Promise<void> {
  for (let round = 0; round < enough; round += 1) await store.append([draft({ call: `before_${round}` })]);
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

/** Appends to the store in a separate process, and kills the process. */
async function appendAndDie(file: string, calls: readonly string[], isHalfIn = false): Promise<void> {
  const script = `
    const { sqliteStore } = await import(${JSON.stringify(new URL('../sqlite-store.ts', import.meta.url).href)});
    const store = sqliteStore({ file: ${JSON.stringify(file)} });
    for (let round = 0; round < ${enough}; round += 1)
      await store.append([${JSON.stringify(draft({ call: 'before' }))}]);
    await store.entries({ order: 'oldest-first', limit: 1 });
    for (const call of ${JSON.stringify(calls)}) await store.append([{ ...${JSON.stringify(draft())}, call }]);
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(${JSON.stringify(file)});
    const count = database.prepare('SELECT count(*) AS entries FROM journal');
    while (${isHalfIn} && count.get().entries <= ${enough}) await new Promise((resolve) => setImmediate(resolve));
    process.kill(process.pid, 'SIGKILL');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  assert.equal(signal, 'SIGKILL');
}

describe('the tail of the journal', () => {
  test('what one process appends alone is acknowledged before it is in the table', async (t) => {
    const { open, inTable, tails } = place(t);
    const store = open();
    await settleIn(store);
    const before = inTable();
    const [entry] = await store.append([draft({ call: 'a' })]);
    assert.equal(inTable(), before);
    assert.equal(tails().length, 1);
    const found = await store.entries({ order: 'newest-first', limit: 1 });
    assert.equal(found[0]?.call, 'a');
    assert.equal(found[0]?.hash, entry?.hash);
    assert.ok((await verifyChain(store)).ok);
  });

  test('it comes into the table and its index by itself', async (t) => {
    const { open, inTable } = place(t);
    const store = open();
    await settleIn(store);
    await store.append([draft({ call: 'a' })]);
    while (inTable() < enough + 1) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(await store.anchor(), {
      seq: enough + 1,
      hash: (await store.entries({ order: 'newest-first', limit: 1 }))[0]?.hash,
    });
  });

  test('what must survive a power loss is in the table, with all before it, when sync resolves', async (t) => {
    const { open, inTable } = place(t);
    const store = open();
    await settleIn(store);
    await store.append([draft({ call: 'a' })]);
    await store.append([draft({ call: 'b', type: 'CallStarted', outcome: '' })]);
    await store.sync();
    assert.equal(inTable(), enough + 2);
  });

  test('another process sees what was acknowledged, and does not take the tail away by reading', async (t) => {
    const { open, tails } = place(t);
    const [writer, reader] = [open(), open()];
    await settleIn(writer);
    const held = tails();
    for (const call of ['a', 'b', 'c']) {
      await writer.append([draft({ call })]);
      assert.equal((await reader.entries({ order: 'newest-first', limit: 1 }))[0]?.call, call);
      assert.equal((await reader.entries({ order: 'newest-first', limit: 9, call }))[0]?.call, call);
    }
    assert.deepEqual(tails(), held);
    assert.equal((await verifyChain(writer)).entries, enough + 3);
    assert.ok((await verifyChain(reader)).ok);
  });

  test('another process that writes takes it away: the chain goes on after everything acknowledged', async (t) => {
    const { open, tails } = place(t);
    const [one, two] = [open(), open()];
    await settleIn(one);
    await one.append([draft({ call: 'a' })]);
    await two.append([draft({ call: 'b' })]);
    assert.deepEqual(tails(), []);
    await one.append([draft({ call: 'c' }), draft({ call: 'd' })]);
    await two.append([draft({ call: 'e' })]);
    assert.deepEqual((await callsOf(one)).slice(enough), ['a', 'b', 'c', 'd', 'e']);
    assert.ok((await verifyChain(two)).ok);
    await settleIn(two);
    assert.equal(tails().length, 1, 'whoever writes alone now gets it');
  });

  test('a process killed between tail and table loses nothing of what it acknowledged', async (t) => {
    const { file, open, inTable } = place(t);
    await appendAndDie(file, ['a', 'b', 'c']);
    assert.equal(inTable(), enough);
    const store = open();
    assert.deepEqual((await callsOf(store)).slice(enough), ['a', 'b', 'c']);
    assert.ok((await verifyChain(store)).ok);
    await store.append([draft({ call: 'd' })]);
    await store.close();
    const again = open();
    assert.deepEqual((await callsOf(again)).slice(enough), ['a', 'b', 'c', 'd']);
    assert.deepEqual(await verifyChain(again).then(({ ok, entries }) => [ok, entries]), [true, enough + 4]);
  });

  test('wherever a tail is torn, the whole batches before that are kept and nothing else', async (t) => {
    const { file, tails } = place(t);
    await appendAndDie(file, ['a', 'béb', 'c']);
    const [tail = ''] = tails();
    const whole = readFileSync(tail);
    const every = [...whole.keys()].filter((at) => whole.subarray(at - 2, at + 1).toString() === '}\n\n');
    // The entries before them are in the table.
    const ends = every.slice(-3);
    const first = every.at(-4) ?? 0;
    const tearing = fc.record({
      cut: fc.integer({ min: first + 1, max: whole.length }),
      left: fc.constantFrom('nothing', 'a hole', 'a hole and the rest'),
    });
    await fc.assert(
      fc.asyncProperty(tearing, async ({ cut, left }) => {
        const copy = mkdtempSync(join(tmpdir(), 'signalbox-torn-'));
        cpSync(dirname(file), copy, { recursive: true });
        const torn = tail.replace(dirname(file), copy);
        truncateSync(torn, cut);
        // A power loss may leave the right length with only a part of the content, or none.
        if (left !== 'nothing') appendFileSync(torn, Buffer.alloc(Math.min(holeSize, whole.length - cut)));
        if (left === 'a hole and the rest') appendFileSync(torn, whole.subarray(cut + holeSize));
        const kept = ends.filter((end) => end < cut).length;
        const store = sqliteStore({ file: join(copy, 'signalbox.db') });
        assert.deepEqual((await callsOf(store)).slice(enough), ['a', 'béb', 'c'].slice(0, kept));
        await store.append([draft({ call: 'd' })]);
        assert.deepEqual(await verifyChain(store).then(({ ok, entries }) => [ok, entries]), [true, enough + 1 + kept]);
        await store.close();
        rmSync(copy, { recursive: true });
      }),
      {
        numRuns: 25,
        examples: [
          [{ cut: first + 1, left: 'a hole' }],
          [{ cut: first + 3, left: 'a hole and the rest' }],
          [{ cut: whole.length, left: 'nothing' }],
        ],
      },
    );
  });

  test('a tail that is gone stops nobody', async (t) => {
    const { file, tails, open } = place(t);
    await appendAndDie(file, ['a']);
    for (const tail of tails()) rmSync(tail);
    const store = open();
    await store.append([draft({ call: 'b' })]);
    assert.deepEqual((await callsOf(store)).slice(enough), ['b']);
    assert.ok((await verifyChain(store)).ok);
  });

  test('entries of a process that knows of no tail get in between, and nothing is lost', async (t) => {
    const { file, open } = place(t);
    const store = open();
    await settleIn(store);
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
    assert.deepEqual((await callsOf(store)).slice(enough), ['a', 'b', 'older', 'c']);
  });

  test('what waits is linked to what stands in the table, also where that is not what it was acknowledged after', async (t) => {
    const { file, open } = place(t);
    const store = open();
    await settleIn(store);
    await store.append([draft({ call: 'a' })]);
    await store.sync();
    await store.append([draft({ call: 'b' })]);
    const database = new DatabaseSync(file);
    const other = 'f'.repeat(64);
    database.prepare('UPDATE journal SET hash = ? WHERE seq = ?').run(other, enough + 1);
    database.close();
    const [entry] = await store.entries({ order: 'newest-first', limit: 1 });
    assert.equal(entry?.call, 'b');
    assert.equal(entry.hash, linkHash(other, entry));
  });

  test('what was pruned does not come back from the tail of a process that was killed', async (t) => {
    const { file, open } = place(t);
    await appendAndDie(file, ['a', 'b', 'c']);
    const store = open();
    const archive = `${file}.jsonl`;
    const { last = 0 } = await pruneJournal(store, { before: Number.MAX_SAFE_INTEGER, archive });
    assert.equal(last, enough + 2);
    assert.deepEqual(await callsOf(store), ['c']);
    const again = open();
    await again.append([draft({ call: 'd' })]);
    assert.deepEqual(await callsOf(again), ['c', 'd']);
    assert.ok((await verifyChain(again, { archive: readArchives([archive]) })).ok);
  });

  test('closing leaves no tail behind', async (t) => {
    const { open, tails, inTable } = place(t);
    const store = open();
    await settleIn(store);
    await store.append([draft({ call: 'a' })]);
    await store.close();
    assert.deepEqual([tails(), inTable()], [[], enough + 1]);
  });

  test('what cannot stand in lines goes into the table at once', async (t) => {
    const { open, inTable } = place(t);
    const store = open();
    await settleIn(store);
    await store.append([draft({ session: 'two\nlines' })]);
    assert.equal(inTable(), enough + 1);
  });

  test('a burst is acknowledged before it is in the table, and comes in by itself when it is over', async (t) => {
    const { open, inTable } = place(t);
    const store = open();
    await settleIn(store);
    const before = inTable();
    const appending = burst(store, 1500);
    assert.equal(inTable(), before);
    const last = (await Promise.all(appending)).at(-1)?.[0];
    while ((await store.anchor()).seq < enough + 1500) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(await store.anchor(), { seq: last?.seq, hash: last?.hash });
    assert.deepEqual(await verifyChain(store).then(({ ok, entries }) => [ok, entries]), [true, enough + 1500]);
  });

  test('where calls never pause, table and index follow them meanwhile', async (t) => {
    const { open } = place(t);
    const store = open();
    await settleIn(store);
    let appended = 0;
    for (; appended < 100_000 && (await store.anchor()).seq < 5000; appended += 8) {
      await store.append(Array.from({ length: 8 }, () => draft()));
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(appended < 100_000, 'nothing was indexed in time');
  });

  test('what may wait is bounded, in number and in bytes', async (t) => {
    const { open, inTable } = place(t);
    const store = open();
    await settleIn(store);
    void burst(store, 5000);
    const many = inTable();
    assert.ok(many > enough, 'of five thousand some are in the table');
    const body = JSON.stringify('x'.repeat(1024 * 1024));
    for (let index = 0; index < 12; index += 1) await store.append([draft({ body })]);
    assert.ok(inTable() > enough + 5000, 'of twelve megabytes some are in the table');
  });

  test('whoever needs what a burst left to do lets others in between', async (t) => {
    const { open } = place(t);
    const store = open();
    await settleIn(store);
    const ways = {
      sync: () => store.sync(),
      entries: () => store.entries({ order: 'newest-first', limit: 1, call: 'burst_1499' }),
      samples: () => store.samples({ since: 0, until: Date.now(), limit: 1 }),
    };
    for (const [name, way] of Object.entries(ways)) {
      void burst(store, 1500);
      const turns = await turnsDuring(way);
      assert.ok(turns >= 4, `${name}: ${turns} turns`);
    }
  });

  test('a process killed when half of a burst is in the table loses nothing of it', async (t) => {
    const { file, open, inTable } = place(t);
    const calls = Array.from({ length: 2000 }, (_, index) => `call_${index}`);
    await appendAndDie(file, calls, true);
    assert.ok(inTable() < enough + calls.length, `${inTable()} are in the table`);
    const store = open();
    assert.deepEqual((await callsOf(store)).slice(enough), calls);
    await store.append([draft({ call: 'later' })]);
    assert.deepEqual(await verifyChain(store).then(({ ok, entries }) => [ok, entries]), [true, enough + 2001]);
  });

  for (const [what, length] of [
    ['a short tail', 1000],
    ['a long one', 100_000],
  ] as const) {
    test(`who is in the middle of ${what} never reads old and new mixed: it only grows`, async (t) => {
      const { open, tails } = place(t);
      const store = open();
      await settleIn(store);
      await store.append([draft({ call: 'a', body: JSON.stringify('a'.repeat(length)) })]);
      const [tail = ''] = tails();
      const whole = readFileSync(tail);
      const descriptor = openSync(tail, 'r');
      const half = Buffer.alloc(whole.length >> 1);
      readSync(descriptor, half);
      await store.sync();
      await store.append([draft({ call: 'b', body: JSON.stringify('b'.repeat(length * 2)) })]);
      const seen = Buffer.concat([half, readFileSync(descriptor)]);
      closeSync(descriptor);
      assert.ok(seen.subarray(0, whole.length).equals(whole));
      assert.equal(tails().length, 1);
      assert.deepEqual((await callsOf(open())).slice(enough), ['a', 'b']);
    });
  }

  test('what was pruned does not come back from the tail of the process that pruned', async (t) => {
    const { file, open, tails } = place(t);
    const store = open();
    await settleIn(store);
    for (const call of ['a', 'b']) await store.append([draft({ call })]);
    await store.append([draft({ call: 'c', recording: '{}' })]);
    await pruneJournal(store, { before: Number.MAX_SAFE_INTEGER, archive: `${file}.jsonl` });
    assert.equal(tails().length, 1);
    assert.deepEqual(await callsOf(open()), ['c']);
  });
});
