import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { within } from '../../../../test/support/within.ts';
import type { PubSub } from '../../../journal/store/pub-sub.ts';
import { Relay, RelayLost, type RelayTimes } from './relay.ts';

const times: RelayTimes = { answerMs: 1000, beatMs: 300 };

async function two(t: TestContext, of: RelayTimes = times): Promise<[Relay, Relay]> {
  const { pubSub } = await openShared(t);
  const relays: [Relay, Relay] = [new Relay(pubSub, of), new Relay(pubSub, of)];
  t.after(() => relays.forEach((relay) => relay.close()));
  return relays;
}

async function openShared(t: TestContext): Promise<InternalSignalbox['shared']> {
  const box = await openSignalbox();
  t.after(() => box.close());
  return box.shared;
}

const tell = (): void => undefined;

describe('work that another process does', () => {
  test('is answered, after all that was said before and in its order, however long it takes', async (t) => {
    const [one, other] = await two(t);
    other.serve('count', async ({ to }: { to: number }, caller) => {
      for (let count = 1; count <= to; count += 1) caller.tell(String(count));
      await wait(1500);
      return { counted: to };
    });
    const heard: string[] = [];
    const answer = await one.ask(other.place, 'count', { to: 20 }, { tell: (text) => heard.push(text) });
    assert.deepEqual(answer, { counted: 20 });
    assert.deepEqual(
      heard,
      Array.from({ length: 20 }, (_, index) => String(index + 1)),
    );
  });

  test('is lost when nobody is there, when it cannot be done, and when the other one leaves', async (t) => {
    const [one, other] = await two(t, { answerMs: 1000, beatMs: 5000 });
    other.serve('fail', () => Promise.reject(new Error('no')));
    const work = staying(other);
    const lost = (asked: Promise<unknown>): Promise<void> => assert.rejects(within(asked, 'an answer'), RelayLost);
    await lost(one.ask('at_0000000000000000000', 'fail', {}, { tell }));
    await lost(one.ask(other.place, 'fail', {}, { tell }));
    await lost(one.ask(other.place, 'unknown', {}, { tell }));
    const stopped = lost(one.ask(other.place, 'stay', {}, { tell }));
    await work.begun;
    other.close();
    await stopped;
  });

  test('ends when whoever asked does not want it any more', async (t) => {
    const [one, other] = await two(t);
    const work = staying(other);
    const controller = new AbortController();
    const asked = one.ask(other.place, 'stay', {}, { tell, signal: controller.signal });
    await within(work.begun, 'the work begins');
    controller.abort(new Error('enough'));
    await assert.rejects(asked, /enough/);
    await within(work.ended, 'the work is ended');
  });

  test('is not begun when it is heard of after whoever asked has given up', async (t) => {
    const { pubSub } = await openShared(t);
    const held: (() => Promise<void>)[] = [];
    let isHeld = true;
    const slow: PubSub = {
      isCrossProcess: true,
      subscribe: (topic, listener) => pubSub.subscribe(topic, listener),
      onGap: (listener) => pubSub.onGap(listener),
      publish: async (topic, text) =>
        isHeld ? void held.push(() => pubSub.publish(topic, text)) : await pubSub.publish(topic, text),
    };
    const [one, other] = [new Relay(slow, times), new Relay(slow, times)];
    t.after(() => [one, other].forEach((relay) => relay.close()));
    let begun = 0;
    other.serve('act', async () => ({ begun: (begun += 1) }));
    await assert.rejects(one.ask(other.place, 'act', {}, { tell }), (error) => {
      assert.ok(error instanceof RelayLost);
      return !error.hasBegun;
    });
    isHeld = false;
    await Promise.all(held.map((send) => send()));
    assert.deepEqual(await one.ask(other.place, 'act', {}, { tell }), { begun: 1 });
  });

  test('ends for both when one of them falls silent', async (t) => {
    const { pubSub } = await openShared(t);
    let isCut = false;
    const cut: PubSub = {
      isCrossProcess: true,
      subscribe: (topic, listener) => pubSub.subscribe(topic, listener),
      onGap: (listener) => pubSub.onGap(listener),
      publish: async (topic, text) => (isCut ? undefined : await pubSub.publish(topic, text)),
    };
    const [one, other] = [new Relay(cut, times), new Relay(cut, times)];
    t.after(() => [one, other].forEach((relay) => relay.close()));
    const work = staying(other);
    const asked = one.ask(other.place, 'stay', {}, { tell });
    const lost = assert.rejects(asked, { name: 'RelayLost', hasBegun: true });
    await within(work.begun, 'the work begins');
    isCut = true;
    await within(lost, 'whoever asked gives up');
    await within(work.ended, 'the work is ended');
  });
});

/** Registers work that runs until its signal is aborted. */
function staying(relay: Relay): { readonly begun: Promise<void>; readonly ended: Promise<void> } {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  relay.serve('stay', async (_, { signal }) => {
    signal.addEventListener('abort', () => ended.resolve(), { once: true });
    begun.resolve();
    await ended.promise;
    return {};
  });
  return { begun: begun.promise, ended: ended.promise };
}
