import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { within } from '../../../test/support/within.ts';
import type { PubSub } from './pub-sub.ts';
import type { StoreFixture } from './store.conformance.ts';
import type { Store } from './store.ts';

/** Resolves with this many messages of a topic, in the order of arrival. */
function received(pubSub: PubSub, topic: string, count: number): Promise<readonly string[]> {
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  const texts: string[] = [];
  pubSub.subscribe(topic, (text) => {
    texts.push(text);
    if (texts.length === count) resolve(texts);
  });
  return within(promise, `${count} messages of ${topic}`);
}

/** The tests of pub/sub for every driver of the Store port. */
export function pubSubConformance(
  name: string,
  _isPersistent: boolean,
  createFixture: () => Promise<StoreFixture>,
): void {
  describe(`PubSub (${name})`, () => {
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

    test('delivers the messages of one sender in order, unchanged, and each as often as it was sent', async () => {
      const texts = ['', 'again', 'again', 'é\0😀\ud800"\\\n', 'x'.repeat(7890), 'é'.repeat(100_000), 'after', 'again'];
      const all = Array.from({ length: 5 }, () => texts).flat();
      const arrived = received(store.pubSub, 'a topic', all.length);
      await Promise.all(all.map((text) => store.pubSub.publish('a topic', text)));
      assert.deepEqual(await arrived, all);
    });

    test('delivers only messages of the topic, once for each subscription, until it is unsubscribed', async () => {
      const { pubSub } = store;
      const wrong: string[] = [];
      const listener = (text: string): void => void wrong.push(text);
      const unsubscribes = [
        pubSub.subscribe('this', listener),
        pubSub.subscribe('this', listener),
        pubSub.subscribe('that', listener),
      ];
      unsubscribes[0]?.();
      unsubscribes[2]?.();
      const arrived = received(pubSub, 'that', 1);
      await pubSub.publish('this', 'once');
      await pubSub.publish('that', 'one');
      assert.deepEqual(await arrived, ['one']);
      assert.deepEqual(wrong, ['once']);
    });

    test('delivers a message to the other listeners when one throws', async () => {
      const { pubSub } = store;
      const warning = new Promise<Error>((resolve) => process.once('warning', resolve));
      pubSub.subscribe('t', () => {
        throw new Error('an error of the listener');
      });
      const arrived = received(pubSub, 't', 2);
      await Promise.all([pubSub.publish('t', '1'), pubSub.publish('t', '2')]);
      assert.deepEqual(await arrived, ['1', '2']);
      assert.match((await within(warning, 'the warning')).message, /an error of the listener/);
    });

    test('delivers messages to other processes when it is cross-process', async () => {
      const other = await fixture.open();
      try {
        const { isCrossProcess } = store.pubSub;
        const texts = ['short', 'x'.repeat(9000), 'short'];
        const listeners = isCrossProcess ? [store, other] : [store];
        const arrived = Promise.all(listeners.map(({ pubSub }) => received(pubSub, 't', texts.length)));
        for (const text of texts) await (isCrossProcess ? other : store).pubSub.publish('t', text);
        for (const each of await arrived) assert.deepEqual(each, texts);
      } finally {
        await other.close();
      }
    });
  });
}
