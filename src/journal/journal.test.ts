import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';
import type { EntryDraft, StoredEntry } from './entries/stored-entry.ts';
import { Journal } from './journal.ts';
import { draft } from './store/store.conformance.ts';
import type { Store } from './store/store.ts';

/** A real store that also records its batches, and can be made to fail as with a full disk. */
function recordingStore(): {
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

/** Takes several times longer than the journal may go without yielding to the event loop. */
const maxAppends = 100_000;

describe('Journal', () => {
  test('writes all entries that are ready at the same time in one commit', async () => {
    const { store, batches } = recordingStore();
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

  test('does not write a withdrawn note; a written note cannot be withdrawn', async () => {
    const { store, batches } = recordingStore();
    const journal = new Journal(store);
    const withdrawn = journal.noteSoon(() => assert.fail('the entry of a withdrawn note is created'));
    assert.equal(withdrawn.withdraw(), true);
    const written = journal.noteSoon(() => draft({ call: 'written' }));
    await journal.drain();
    assert.equal(written.withdraw(), false);
    assert.deepEqual(batches, [['written']]);
  });

  test('delays a note from `noteSoon`, and writes it unless it is withdrawn before', async () => {
    const { store, batches } = recordingStore();
    const journal = new Journal(store);
    const withdrawn = journal.noteSoon(() => draft({ call: 'withdrawn' }));
    const remaining = journal.noteSoon(() => draft({ call: 'remaining' }));
    await journal.append(draft({ call: 'a' }), 'crash');
    assert.deepEqual(batches, [['a']], 'a commit of other entries does not include the delayed notes');
    withdrawn.withdraw();
    const written = new Promise((resolve) => journal.subscribe(resolve));
    const keepAlive = setTimeout(() => undefined, 5000);
    await written;
    clearTimeout(keepAlive);
    assert.deepEqual(batches, [['a'], ['remaining']]);
    assert.equal(remaining.withdraw(), false);
  });

  test('syncs for an entry that must survive a power loss, and not for entries that need not', async () => {
    const { store, syncs } = recordingStore();
    const journal = new Journal(store);
    const order: string[] = [];
    const durable = journal
      .append(draft({ call: 'durable' }), 'power-loss')
      .then(() => order.push(`durable after ${syncs()} sync`));
    const plain = journal
      .append(draft({ call: 'plain' }), 'crash')
      .then(() => order.push(`plain after ${syncs()} sync`));
    await Promise.all([durable, plain]);
    assert.deepEqual(order, ['plain after 1 sync', 'durable after 1 sync']);
    await journal.append(draft(), 'crash');
    assert.equal(syncs(), 1, 'an entry that need not survive a power loss causes no sync');
  });

  test('`appendFollowed` shares one sync with the entries that follow, and all are rejected when it fails', async () => {
    const { store, batches, syncs, failNext } = recordingStore();
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

  test('`appendFollowed` syncs an entry that no other entry follows', async () => {
    const { store, syncs } = recordingStore();
    const journal = new Journal(store);
    const answer = journal.appendFollowed(draft(), () => undefined);
    await journal.drain();
    assert.equal(syncs(), 1, '`drain` syncs it');
    assert.equal((await answer)?.seq, 1);
    assert.equal((await journal.appendFollowed(draft(), () => undefined))?.seq, 2);
    assert.equal(syncs(), 2);
  });

  test('a failed commit rejects all of its entries and no others', async () => {
    const { store, failNext } = recordingStore();
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

  test('an entry that cannot be created does not affect the others of its commit', async () => {
    const { store, batches } = recordingStore();
    const journal = new Journal(store);
    journal.note(() => assert.fail('the entry cannot be created'));
    const note = journal.noteSoon(() => assert.fail('the delayed entry cannot be created'));
    const entry = await journal.append(draft({ call: 'a' }), 'crash');
    await journal.drain();
    assert.equal(entry?.call, 'a');
    assert.equal(note.withdraw(), false);
    assert.deepEqual(batches, [['a']]);
  });

  test('a failed sync rejects only the entries that need it', async () => {
    const { store, failNext } = recordingStore();
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

  test('calls listeners once for every written entry, in order', async () => {
    const { store } = recordingStore();
    const journal = new Journal(store);
    const seqs: number[] = [];
    const unsubscribe = journal.subscribe((entry) => seqs.push(entry.seq));
    await Promise.all(Array.from({ length: 10 }, () => journal.append(draft(), 'crash')));
    unsubscribe();
    await journal.append(draft(), 'crash');
    assert.deepEqual(seqs, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test('yields to the event loop during appends that wait for nothing else', async () => {
    const journal = new Journal(recordingStore().store);
    let turns = 0;
    const counting = new AbortController();
    const counted = (async () => {
      for (; !counting.signal.aborted; turns += 1) await turn();
    })();
    const hasYielded = (): boolean => turns >= 3;
    for (let appends = 0; appends < maxAppends && !hasYielded(); appends += 1) await journal.append(draft(), 'crash');
    assert.ok(hasYielded(), `${turns} turns of the event loop during ${maxAppends} appends`);
    counting.abort();
    await counted;
  });
});
