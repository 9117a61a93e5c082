import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { pinKind } from '../integrity/authority-records.ts';
import { neverExpires } from './key-value-store.ts';
import type { StorePlace } from './store.conformance.ts';
import type { Store } from './store.ts';

const past = 1000;
const soon = Date.now() + 3_600_000;

/** What every driver of the Store port must do about small things that are kept for a time. */
export function keptStoreConformance(name: string, lasting: boolean, place: () => Promise<StorePlace>): void {
  describe(`small things kept in ${name}`, () => {
    let where: StorePlace;
    let store: Store;
    beforeEach(async () => {
      where = await place();
      store = await where.open();
    });
    afterEach(async () => {
      await store.close();
      await where.dispose();
    });

    test('are found under their exact kind and key, as they were put last', async () => {
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

    test('are gone when their time is over, whoever asks', async () => {
      const { keyValues } = store;
      await keyValues.put('a', 'k', { text: 'old', until: past });
      assert.equal(await keyValues.get('a', 'k'), undefined);
      assert.deepEqual(await keyValues.list('a'), []);
      assert.equal(await keyValues.extend('a', 'k', soon), false);
      assert.equal(await keyValues.take('a', 'k'), false);
    });

    test('are added once: whoever comes second gets what is there, unless that is over', async () => {
      const { keyValues } = store;
      const texts = await Promise.all(
        ['x', 'y', 'z'].map(async (text) => (await keyValues.add('a', 'k', { text, until: soon })).text),
      );
      assert.equal(new Set(texts).size, 1);
      assert.deepEqual(await keyValues.get('a', 'k'), { text: texts[0] ?? '', until: soon });
      await keyValues.put('a', 'k', { text: 'old', until: past });
      assert.deepEqual(await keyValues.add('a', 'k', { text: 'new', until: soon }), { text: 'new', until: soon });
    });

    test('are given more time, never less', async () => {
      const { keyValues } = store;
      await keyValues.put('a', 'k', { text: 't', until: soon });
      assert.equal(await keyValues.extend('a', 'k', soon + 5), true);
      assert.equal(await keyValues.extend('a', 'k', soon), true);
      assert.deepEqual(await keyValues.get('a', 'k'), { text: 't', until: soon + 5 });
      assert.equal(await keyValues.extend('a', 'none', soon), false);
    });

    test('are taken by one of several, and left to whoever gave them more time meanwhile', async () => {
      const { keyValues } = store;
      await keyValues.put('a', 'k', { text: 't', until: soon });
      assert.equal(await keyValues.take('a', 'k', soon - 1), false);
      const taken = await Promise.all([1, 2, 3].map(() => keyValues.take('a', 'k', soon)));
      assert.equal(taken.filter(Boolean).length, 1);
      assert.equal(await keyValues.get('a', 'k'), undefined);
    });

    test('that decide what is allowed leave an entry with each change, and none where it is refused', async () => {
      const { keyValues } = store;
      const kind = `${pinKind} here`;
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
      const told = entries.map(({ body }) => JSON.parse(body) as { change: string; records: { name: string }[] });
      assert.deepEqual(
        told.map(({ change, records }) => [change, records[0]?.name]),
        [
          ['stored', 'k'],
          ['stored', 'k'],
          ['stored', 'ann'],
          ['removed', 'k'],
        ],
      );
    });

    if (!lasting) return;

    test('what one process keeps or takes, another sees at once', async () => {
      const other = await where.open();
      await store.keyValues.put('a', 'k', { text: 't', until: soon });
      assert.deepEqual(await other.keyValues.get('a', 'k'), { text: 't', until: soon });
      const taken = await Promise.all([store, other].map((each) => each.keyValues.take('a', 'k')));
      assert.equal(taken.filter(Boolean).length, 1);
      assert.equal(await store.keyValues.get('a', 'k'), undefined);
      await other.close();
    });
  });
}
