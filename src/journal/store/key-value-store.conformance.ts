import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { forever } from './key-value-store.ts';
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
      const { kept } = store;
      await kept.put('a', 'k', { text: 'first', until: soon });
      await kept.put('a', 'k', { text: 'é"\n😀', until: forever });
      await kept.put('b', 'k', { text: 'other', until: soon });
      assert.deepEqual(await kept.get('a', 'k'), { text: 'é"\n😀', until: forever });
      assert.equal(await kept.get('a', 'K'), undefined);
      assert.equal(await kept.get('c', 'k'), undefined);
      await kept.put('a', 'B', { text: '', until: soon });
      assert.deepEqual(await kept.list('a'), [
        { key: 'B', text: '', until: soon },
        { key: 'k', text: 'é"\n😀', until: forever },
      ]);
    });

    test('are gone when their time is over, whoever asks', async () => {
      const { kept } = store;
      await kept.put('a', 'k', { text: 'old', until: past });
      assert.equal(await kept.get('a', 'k'), undefined);
      assert.deepEqual(await kept.list('a'), []);
      assert.equal(await kept.extend('a', 'k', soon), false);
      assert.equal(await kept.take('a', 'k'), false);
    });

    test('are added once: whoever comes second gets what is there, unless that is over', async () => {
      const { kept } = store;
      const texts = await Promise.all(
        ['x', 'y', 'z'].map(async (text) => (await kept.add('a', 'k', { text, until: soon })).text),
      );
      assert.equal(new Set(texts).size, 1);
      assert.deepEqual(await kept.get('a', 'k'), { text: texts[0] ?? '', until: soon });
      await kept.put('a', 'k', { text: 'old', until: past });
      assert.deepEqual(await kept.add('a', 'k', { text: 'new', until: soon }), { text: 'new', until: soon });
    });

    test('are given more time, never less', async () => {
      const { kept } = store;
      await kept.put('a', 'k', { text: 't', until: soon });
      assert.equal(await kept.extend('a', 'k', soon + 5), true);
      assert.equal(await kept.extend('a', 'k', soon), true);
      assert.deepEqual(await kept.get('a', 'k'), { text: 't', until: soon + 5 });
      assert.equal(await kept.extend('a', 'none', soon), false);
    });

    test('are taken by one of several, and left to whoever gave them more time meanwhile', async () => {
      const { kept } = store;
      await kept.put('a', 'k', { text: 't', until: soon });
      assert.equal(await kept.take('a', 'k', soon - 1), false);
      const taken = await Promise.all([1, 2, 3].map(() => kept.take('a', 'k', soon)));
      assert.equal(taken.filter(Boolean).length, 1);
      assert.equal(await kept.get('a', 'k'), undefined);
    });

    test('that decide what is allowed leave an entry with each change, and none where it is refused', async () => {
      const { kept } = store;
      const kind = 'pin here';
      const texts = await Promise.all(
        ['x', 'y', 'z'].map(async (text) => (await kept.add(kind, 'k', { text, until: soon })).text),
      );
      assert.equal(new Set(texts).size, 1);
      await kept.put(kind, 'k', { text: 'new', until: soon });
      await kept.put('sign-in', 'k', { text: '{"person":{"id":"ann"}}', until: soon });
      await kept.put('other', 'k', { text: '', until: soon });
      assert.deepEqual(await kept.listByPrefix('pin'), [{ kind, key: 'k', text: 'new', until: soon }]);
      assert.equal(await kept.take(kind, 'k', soon - 1), false);
      const taken = await Promise.all([1, 2, 3].map(() => kept.take(kind, 'k')));
      assert.equal(taken.filter(Boolean).length, 1);
      assert.equal(await kept.get(kind, 'k'), undefined);
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
      await store.kept.put('a', 'k', { text: 't', until: soon });
      assert.deepEqual(await other.kept.get('a', 'k'), { text: 't', until: soon });
      const taken = await Promise.all([store, other].map((each) => each.kept.take('a', 'k')));
      assert.equal(taken.filter(Boolean).length, 1);
      assert.equal(await store.kept.get('a', 'k'), undefined);
      await other.close();
    });
  });
}
