import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { EntryDraft, StoredEntry } from './entries/stored-entry.ts';
import { Journal } from './journal.ts';
import { draft } from './store/store.conformance.ts';
import type { Store } from './store/store.ts';

/** A real store that also tells which batches it got and can be made to fail, as a full disk would. */
function watched(): {
  store: Store;
  batches: string[][];
  syncs: () => number;
  failNext: (what: 'append' | 'sync') => void;
} {
  const real = sqliteStore();
  const batches: string[][] = [];
  let syncs = 0;
  let failing: 'append' | 'sync' | undefined;
  const fail = (what: 'append' | 'sync'): void => {
    if (failing !== what) return;
    failing = undefined;
    throw new Error(`${what} failed: no space left`);
  };
  const store = Object.assign(Object.create(real) as Store, {
    location: 'memory',
    async append(drafts: readonly EntryDraft[]): Promise<readonly (StoredEntry | undefined)[]> {
      fail('append');
      batches.push(drafts.map((each) => each.call));
      return real.append(drafts);
    },
    async sync(): Promise<void> {
      fail('sync');
      syncs += 1;
      return real.sync();
    },
  });
  return { store, batches, syncs: () => syncs, failNext: (what) => (failing = what) };
}

describe('journal', () => {
  test('everything that is ready at the same time shares one commit', async () => {
    const { store, batches } = watched();
    const journal = new Journal(store);
    const calls = Array.from({ length: 64 }, (_, index) => `call_${index}`);
    await Promise.all(
      calls.map(async (call) => {
        // Reaches the journal over a few promise hops, as a call does.
        await Promise.resolve();
        await new Promise<void>((resolve) => queueMicrotask(resolve));
        return journal.append(draft({ call }), 'crash');
      }),
    );
    assert.deepEqual(batches, [calls]);
  });

  test('a withdrawn note is not written; one that was written stays', async () => {
    const { store, batches } = watched();
    const journal = new Journal(store);
    const withdrawn = journal.noteSoon(() => assert.fail('it is not even made'));
    assert.equal(withdrawn.withdraw(), true);
    const written = journal.noteSoon(() => draft({ call: 'written' }));
    await journal.drain();
    assert.equal(written.withdraw(), false);
    assert.deepEqual(batches, [['written']]);
  });

  test('a note that may wait costs no commit when it is withdrawn in time, and is written when it is not', async () => {
    const { store, batches } = watched();
    const journal = new Journal(store);
    const withdrawn = journal.noteSoon(() => draft({ call: 'withdrawn' }));
    const left = journal.noteSoon(() => draft({ call: 'left' }));
    await journal.append(draft({ call: 'a' }), 'crash');
    assert.deepEqual(batches, [['a']], 'it does not hurry because others are written');
    withdrawn.withdraw();
    const heard = new Promise((resolve) => journal.subscribe(resolve));
    const alive = setTimeout(() => undefined, 5000);
    await heard;
    clearTimeout(alive);
    assert.deepEqual(batches, [['a'], ['left']]);
    assert.equal(left.withdraw(), false);
  });

  test('an entry that must survive a power loss waits for sync, the others of its batch do not', async () => {
    const { store, syncs } = watched();
    const journal = new Journal(store);
    const order: string[] = [];
    const lasting = journal
      .append(draft({ call: 'lasting' }), 'power-loss')
      .then(() => order.push(`lasting after ${syncs()} sync`));
    const plain = journal
      .append(draft({ call: 'plain' }), 'crash')
      .then(() => order.push(`plain after ${syncs()} sync`));
    await Promise.all([lasting, plain]);
    assert.deepEqual(order, ['plain after 1 sync', 'lasting after 1 sync']);
    await journal.append(draft(), 'crash');
    assert.equal(syncs(), 1, 'nothing is flushed to the disk that need not be');
  });

  test('what is written because of an entry shares its flush, and survives nothing that the entry does not', async () => {
    const { store, batches, syncs, failNext } = watched();
    const journal = new Journal(store);
    const pair = (): Promise<PromiseSettledResult<StoredEntry | undefined>[]> => {
      const { promise, resolve } = Promise.withResolvers<StoredEntry | undefined>();
      const use = async (): Promise<StoredEntry | undefined> => {
        // Reaches the journal over a few promise hops, as a call does.
        for (let hop = 0; hop < 20; hop += 1) await Promise.resolve();
        return journal.append(draft({ call: 'use' }), 'power-loss');
      };
      const answer = journal.appendFollowed(draft({ call: 'answer' }), () => resolve(use()));
      return Promise.allSettled([answer, promise]);
    };
    await pair();
    assert.deepEqual([batches, syncs()], [[['answer'], ['use']], 1]);
    failNext('sync');
    const failed = await pair();
    assert.deepEqual(
      failed.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
  });

  test('an entry by which nobody goes on is flushed all the same', async () => {
    const { store, syncs } = watched();
    const journal = new Journal(store);
    const answer = journal.appendFollowed(draft(), () => undefined);
    await journal.drain();
    assert.equal(syncs(), 1, 'at the latest before the store is closed');
    assert.equal((await answer)?.seq, 1);
    assert.equal((await journal.appendFollowed(draft(), () => undefined))?.seq, 2);
    assert.equal(syncs(), 2);
  });

  test('a failing commit rejects everything in it and nothing else', async () => {
    const { store, failNext } = watched();
    const journal = new Journal(store);
    failNext('append');
    const results = await Promise.allSettled([
      journal.append(draft({ call: 'a' }), 'crash'),
      journal.append(draft({ call: 'b' }), 'power-loss'),
    ]);
    assert.deepEqual(
      results.map((result) => result.status),
      ['rejected', 'rejected'],
    );
    assert.equal((await journal.append(draft({ call: 'c' }), 'crash'))?.seq, 1);
  });

  test('a failing sync rejects those that needed it', async () => {
    const { store, failNext } = watched();
    const journal = new Journal(store);
    failNext('sync');
    const results = await Promise.allSettled([
      journal.append(draft({ call: 'a' }), 'crash'),
      journal.append(draft({ call: 'b' }), 'power-loss'),
    ]);
    assert.deepEqual(
      results.map((result) => result.status),
      ['fulfilled', 'rejected'],
    );
  });

  test('listeners hear of every entry once, in order, after it is written', async () => {
    const { store } = watched();
    const journal = new Journal(store);
    const heard: number[] = [];
    const stop = journal.subscribe((entry) => heard.push(entry.seq));
    await Promise.all(Array.from({ length: 10 }, () => journal.append(draft(), 'crash')));
    stop();
    await journal.append(draft(), 'crash');
    assert.deepEqual(heard, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test('a chain of appends that waits for nothing else still lets timers and sockets run', async () => {
    const journal = new Journal(watched().store);
    let turns = 0;
    const counting = new AbortController();
    const counted = (async () => {
      for (; !counting.signal.aborted; turns += 1) await turn();
    })();
    const until = performance.now() + 100;
    while (performance.now() < until) await journal.append(draft(), 'crash');
    counting.abort();
    await counted;
    assert.ok(turns >= 3, `the event loop turned ${turns} times in 100 ms`);
  });
});
