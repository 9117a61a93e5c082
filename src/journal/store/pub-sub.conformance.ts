import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { within } from '../../../test/support/within.ts';
import type { PubSub } from './pub-sub.ts';
import type { StorePlace } from './store.conformance.ts';
import type { Store } from './store.ts';

/** Resolves with so many notes of a topic, in the order in which they came. */
function heard(post: PubSub, topic: string, count: number): Promise<readonly string[]> {
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  const texts: string[] = [];
  post.subscribe(topic, (text) => {
    texts.push(text);
    if (texts.length === count) resolve(texts);
  });
  return within(promise, `${count} notes of ${topic}`);
}

/** What every driver of the Store port must do about the post. */
export function postConformance(name: string, _lasting: boolean, place: () => Promise<StorePlace>): void {
  describe(`the post of ${name}`, () => {
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

    test('notes of one sender arrive in order, the same text as often as it was sent, whatever is in it', async () => {
      const texts = ['', 'again', 'again', 'é\0😀\ud800"\\\n', 'x'.repeat(7890), 'é'.repeat(100_000), 'after', 'again'];
      const all = Array.from({ length: 5 }, () => texts).flat();
      const arrived = heard(store.pubSub, 'a topic', all.length);
      await Promise.all(all.map((text) => store.pubSub.publish('a topic', text)));
      assert.deepEqual(await arrived, all);
    });

    test('whoever listens hears of its topic alone, twice where it listens twice, until it stops', async () => {
      const { pubSub } = store;
      const wrong: string[] = [];
      const listener = (text: string): void => void wrong.push(text);
      const stops = [
        pubSub.subscribe('this', listener),
        pubSub.subscribe('this', listener),
        pubSub.subscribe('that', listener),
      ];
      stops[0]?.();
      stops[2]?.();
      const arrived = heard(pubSub, 'that', 1);
      await pubSub.publish('this', 'once');
      await pubSub.publish('that', 'one');
      assert.deepEqual(await arrived, ['one']);
      assert.deepEqual(wrong, ['once']);
    });

    test('a listener that throws keeps nothing from the others', async () => {
      const { pubSub } = store;
      const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
      pubSub.subscribe('t', () => {
        throw new Error('a fault of the listener');
      });
      const arrived = heard(pubSub, 't', 2);
      await Promise.all([pubSub.publish('t', '1'), pubSub.publish('t', '2')]);
      assert.deepEqual(await arrived, ['1', '2']);
      assert.match((await within(warned, 'the warning')).message, /a fault of the listener/);
    });

    test('reaches the other processes where it says so', async () => {
      const other = await where.open();
      try {
        const { isCrossProcess } = store.pubSub;
        const texts = ['short', 'x'.repeat(9000), 'short'];
        const listeners = isCrossProcess ? [store, other] : [store];
        const arrived = Promise.all(listeners.map(({ pubSub }) => heard(pubSub, 't', texts.length)));
        for (const text of texts) await (isCrossProcess ? other : store).pubSub.publish('t', text);
        for (const each of await arrived) assert.deepEqual(each, texts);
      } finally {
        await other.close();
      }
    });
  });
}
