import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { pinKind } from '../integrity/authority-records.ts';
import { neverExpires } from './key-value-store.ts';
import type { StoreFixture } from './store.conformance.ts';
import type { Store } from './store.ts';

const past = 1000;
const soon = Date.now() + 3_600_000;

/** The tests of values with an expiry time for every driver of the Store port. */
export function keyValueStoreConformance(
  name: string,
  isPersistent: boolean,
  createFixture: () => Promise<StoreFixture>,
): void {
  describe(`KeyValueStore (${name})`, () => {
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

    test('returns the last value of an exact kind and key', async () => {
      const { keyValues } = store;
      await keyValues.put('a', 'k', { text: 'first', until: soon });
      await keyValues.put('a', 'k', { text: 'é"\n😀', until: neverExpires });
      await keyValues.put('b', 'k', { text: 'other', until: soon });
      assert.deepEqual(await keyValues.get('a', 'k'), { text: 'é"\n😀', until: neverExpires });
      assert.equal(await keyValues.get('a', 'K'), undefined);
      assert.equal(await keyValues.get('c', 'k'), undefined);
      await keyValues.put('a', 'B', { text: '', until: soon });
      assert.deepEqual(await keyValues.list('a'), [
        { key: 'B', text: '', until: soon },
        { key: 'k', text: 'é"\n😀', until: neverExpires },
      ]);
    });

    test('hides expired values from every method', async () => {
      const { keyValues } = store;
      await keyValues.put('a', 'k', { text: 'old', until: past });
      assert.equal(await keyValues.get('a', 'k'), undefined);
      assert.deepEqual(await keyValues.list('a'), []);
      assert.equal(await keyValues.extend('a', 'k', soon), false);
      assert.equal(await keyValues.take('a', 'k'), false);
    });

    test('`add` returns the value that exists, unless it has expired', async () => {
      const { keyValues } = store;
      const texts = await Promise.all(
        ['x', 'y', 'z'].map(async (text) => (await keyValues.add('a', 'k', { text, until: soon })).text),
      );
      assert.equal(new Set(texts).size, 1);
      assert.deepEqual(await keyValues.get('a', 'k'), { text: texts[0] ?? '', until: soon });
      await keyValues.put('a', 'k', { text: 'old', until: past });
      assert.deepEqual(await keyValues.add('a', 'k', { text: 'new', until: soon }), { text: 'new', until: soon });
    });

    test('`extend` never shortens the expiry time', async () => {
      const { keyValues } = store;
      await keyValues.put('a', 'k', { text: 't', until: soon });
      assert.equal(await keyValues.extend('a', 'k', soon + 5), true);
      assert.equal(await keyValues.extend('a', 'k', soon), true);
      assert.deepEqual(await keyValues.get('a', 'k'), { text: 't', until: soon + 5 });
      assert.equal(await keyValues.extend('a', 'none', soon), false);
    });

    test('`take` succeeds for one of several callers, and not for a value that was extended', async () => {
      const { keyValues } = store;
      await keyValues.put('a', 'k', { text: 't', until: soon });
      assert.equal(await keyValues.take('a', 'k', soon - 1), false);
      const taken = await Promise.all([1, 2, 3].map(() => keyValues.take('a', 'k', soon)));
      assert.equal(taken.filter(Boolean).length, 1);
      assert.equal(await keyValues.get('a', 'k'), undefined);
    });

    test('writes an entry with each change of a value that grants authority, and none for a refused change', async () => {
      const { keyValues } = store;
      const kind = `${pinKind} scope`;
      const texts = await Promise.all(
        ['x', 'y', 'z'].map(async (text) => (await keyValues.add(kind, 'k', { text, until: soon })).text),
      );
      assert.equal(new Set(texts).size, 1);
      await keyValues.put(kind, 'k', { text: 'new', until: soon });
      await keyValues.put('sign-in', 'k', { text: '{"person":{"id":"ann"}}', until: soon });
      await keyValues.put('other', 'k', { text: '', until: soon });
      assert.deepEqual(await keyValues.listByPrefix(pinKind), [{ kind, key: 'k', text: 'new', until: soon }]);
      assert.equal(await keyValues.take(kind, 'k', soon - 1), false);
      const taken = await Promise.all([1, 2, 3].map(() => keyValues.take(kind, 'k')));
      assert.equal(taken.filter(Boolean).length, 1);
      assert.equal(await keyValues.get(kind, 'k'), undefined);
      const entries = await store.entries({ order: 'oldest-first', type: 'AuthorityChanged', limit: 9 });
      const changes = entries.map(({ body }) => JSON.parse(body) as { change: string; records: { name: string }[] });
      assert.deepEqual(
        changes.map(({ change, records }) => [change, records[0]?.name]),
        [
          ['stored', 'k'],
          ['stored', 'k'],
          ['stored', 'ann'],
          ['removed', 'k'],
        ],
      );
    });

    if (!isPersistent) return;

    test('shows changes of one process to another at once', async () => {
      const other = await fixture.open();
      await store.keyValues.put('a', 'k', { text: 't', until: soon });
      assert.deepEqual(await other.keyValues.get('a', 'k'), { text: 't', until: soon });
      const taken = await Promise.all([store, other].map((each) => each.keyValues.take('a', 'k')));
      assert.equal(taken.filter(Boolean).length, 1);
      assert.equal(await store.keyValues.get('a', 'k'), undefined);
      await other.close();
    });
  });
}
