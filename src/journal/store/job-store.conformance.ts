import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { JobRecord } from './job-store.ts';
import type { StoreFixture } from './store.conformance.ts';
import type { Store } from './store.ts';

function record(given: Partial<JobRecord> = {}): JobRecord {
  return {
    id: 'job_1',
    owner: '{"id":"ada","kind":"human"}',
    ownerId: 'ada',
    text: '{"prompt":"é\\u0000😀"}',
    createdAt: 1000,
    nextAt: 2000,
    lastAt: 0,
    lastSession: '',
    lastError: '',
    ...given,
  };
}

/** The tests of jobs for every driver of the Store port. */
export function jobStoreConformance(
  name: string,
  isPersistent: boolean,
  createFixture: () => Promise<StoreFixture>,
): void {
  describe(`JobStore (${name})`, () => {
    let fixture: StoreFixture;
    let store: Store;
    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
    });
    afterEach(async () => {
      await store.close();
      await fixture.dispose();
    });

    const found = async (query: object): Promise<string[]> => (await store.jobs.list(query)).map(({ id }) => id);
    const claim = (dueAt: number, nextAt: number, from = store): Promise<boolean> =>
      from.jobs.claim({ id: 'job_1', dueAt, nextAt, at: 1800, unlessEnded: 'interrupted' });

    test('stores jobs unchanged, and finds them by owner, due time and a clock that was ahead, oldest first', async () => {
      const second = record({ id: 'job_2', createdAt: 400, nextAt: 3000, ownerId: 'bob', lastAt: 500 });
      assert.equal(await store.jobs.add(record(), 9), true);
      assert.equal(await store.jobs.add(second, 9), true);
      assert.deepEqual(await store.jobs.get('job_1'), record());
      assert.deepEqual(await store.jobs.list(), [second, record()]);
      assert.deepEqual(await found({ ownerId: 'ada' }), ['job_1']);
      assert.deepEqual(await found({ dueAt: 2000 }), ['job_1']);
      assert.deepEqual(await found({ dueAt: 1999 }), []);
      assert.deepEqual(await found({ aheadOf: 950 }), ['job_1']);
      await claim(2000, 5000);
      assert.deepEqual(await found({ aheadOf: 1799 }), ['job_1']);
      assert.deepEqual(await found({ aheadOf: 1800 }), []);
      assert.deepEqual(await found({ ownerId: 'bob', aheadOf: 950 }), []);
      assert.equal(await store.jobs.get('job_'), undefined);
    });

    test('returns the earliest next run of all jobs', async () => {
      assert.equal(await store.jobs.nextAt(), undefined);
      await store.jobs.add(record(), 9);
      await store.jobs.add(record({ id: 'job_2', nextAt: 1500 }), 9);
      assert.equal(await store.jobs.nextAt(), 1500);
      await store.jobs.remove('job_2', 1);
      assert.equal(await store.jobs.nextAt(), 2000);
    });

    test('limits the number of jobs, and does not change a job that is added again', async () => {
      await store.jobs.add(record(), 2);
      await store.jobs.add(record({ id: 'job_2' }), 2);
      assert.equal(await store.jobs.add(record({ id: 'job_3' }), 2), false);
      assert.equal(await store.jobs.add(record({ text: '{}' }), 2), true);
      assert.deepEqual(await store.jobs.get('job_1'), record());
      await store.jobs.remove('job_2', 1);
      assert.equal(await store.jobs.add(record({ id: 'job_3' }), 2), true);
      assert.equal(await store.jobs.restore('job_2', 1, 2), false);
    });

    test('claims a run once, and reports it as interrupted until its end is recorded', async () => {
      await store.jobs.add(record(), 9);
      assert.equal(await claim(1999, 5000), false, 'no run is due at that time');
      assert.equal(await claim(2000, 5000), true);
      assert.equal(await claim(2000, 5000), false);
      assert.deepEqual(await store.jobs.get('job_1'), record({ nextAt: 5000, lastAt: 2000, lastError: 'interrupted' }));
      await store.jobs.end('job_1', 2000, { session: 's1' });
      const ended = record({ nextAt: 5000, lastAt: 2000, lastSession: 's1' });
      assert.deepEqual(await store.jobs.get('job_1'), ended);
      await store.jobs.end('job_1', 1999, { error: 'late' });
      assert.deepEqual(await store.jobs.get('job_1'), ended, 'the end of another run has no effect');
      await store.jobs.end('job_1', 2000, { error: 'no' });
      assert.deepEqual(await store.jobs.get('job_1'), { ...ended, lastError: 'no' }, 'the session stays');
    });

    test('moves the next run only from its expected time', async () => {
      await store.jobs.add(record(), 9);
      assert.equal(await store.jobs.move('job_1', 1, 3000), false);
      assert.equal(await store.jobs.move('job_1', 2000, 3000), true);
      assert.equal((await store.jobs.get('job_1'))?.nextAt, 3000);
    });

    test('hides a removed job, restores it once, and deletes it with `forget`', async () => {
      await store.jobs.add(record(), 9);
      assert.equal(await store.jobs.remove('job_1', 100), true);
      assert.equal(await store.jobs.remove('job_1', 100), false);
      assert.deepEqual([await store.jobs.get('job_1'), await store.jobs.list()], [undefined, []]);
      assert.deepEqual([await store.jobs.removed('job_1'), await store.jobs.removed('x')], [record(), undefined]);
      assert.equal(await claim(2000, 5000), false);
      assert.equal(await store.jobs.move('job_1', 2000, 1), false);
      await store.jobs.forget(100);
      assert.equal(await store.jobs.restore('job_1', 7000, 9), true);
      assert.equal(await store.jobs.restore('job_1', 8000, 9), false);
      assert.deepEqual(await store.jobs.get('job_1'), record({ nextAt: 7000 }));
      assert.equal(await store.jobs.removed('job_1'), undefined);
      await store.jobs.forget(1e15);
      await store.jobs.remove('job_1', 100);
      await store.jobs.forget(101);
      assert.equal(await store.jobs.restore('job_1', 7000, 9), false);
    });

    if (!isPersistent) return;

    test('lets one of two processes claim a run', async () => {
      const other = await fixture.open();
      await store.jobs.add(record(), 9);
      for (let due = 2000; due < 2100; due += 1) {
        const claims = await Promise.all([claim(due, due + 1), claim(due, due + 1, other)]);
        assert.deepEqual(claims.filter(Boolean).length, 1);
      }
      await other.close();
    });

    test('keeps jobs when the store is reopened', async () => {
      await store.jobs.add(record(), 9);
      await claim(2000, 5000);
      await store.close();
      store = await fixture.open();
      assert.equal(await claim(2000, 6000), false);
      assert.equal((await store.jobs.get('job_1'))?.nextAt, 5000);
    });
  });
}
