import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { within } from '../../../../test/support/within.ts';
import type { PubSub } from '../../../journal/store/pub-sub.ts';
import { Relay, RelayUnavailableError, type RelayTimes } from './relay.ts';

const shortTimes: RelayTimes = { answerMs: 1000, beatMs: 300 };

async function openRelays(t: TestContext, times: RelayTimes = shortTimes): Promise<[Relay, Relay]> {
  const { pubSub } = await openShared(t);
  const relays: [Relay, Relay] = [new Relay(pubSub, times), new Relay(pubSub, times)];
  t.after(() => relays.forEach((relay) => relay.close()));
  return relays;
}

async function openShared(t: TestContext): Promise<InternalSignalbox['shared']> {
  const box = await openSignalbox();
  t.after(() => box.close());
  return box.shared;
}

const onMessage = (): void => undefined;

describe('Relay', () => {
  test('delivers messages in order before the result, also when the request takes longer than the timeout', async (t) => {
    const [one, other] = await openRelays(t);
    other.serve('count', async ({ to }: { to: number }, caller) => {
      for (let count = 1; count <= to; count += 1) caller.send(String(count));
      await wait(1500);
      return { counted: to };
    });
    const received: string[] = [];
    const answer = await one.ask(other.address, 'count', { to: 20 }, { onMessage: (text) => received.push(text) });
    assert.deepEqual(answer, { counted: 20 });
    assert.deepEqual(
      received,
      Array.from({ length: 20 }, (_, index) => String(index + 1)),
    );
  });

  test('rejects with RelayUnavailableError when the process does not exist, the request fails or the process leaves', async (t) => {
    const [one, other] = await openRelays(t, { answerMs: 1000, beatMs: 5000 });
    other.serve('fail', () => Promise.reject(new Error('no')));
    const work = serveUntilAborted(other);
    const assertLost = (request: Promise<unknown>): Promise<void> =>
      assert.rejects(within(request, 'the result'), RelayUnavailableError);
    await assertLost(one.ask('at_0000000000000000000', 'fail', {}, { onMessage }));
    await assertLost(one.ask(other.address, 'fail', {}, { onMessage }));
    await assertLost(one.ask(other.address, 'unknown', {}, { onMessage }));
    const stopped = assertLost(one.ask(other.address, 'stay', {}, { onMessage }));
    await work.begun;
    other.close();
    await stopped;
  });

  test('aborting the caller’s signal aborts the request at the other process', async (t) => {
    const [one, other] = await openRelays(t);
    const work = serveUntilAborted(other);
    const controller = new AbortController();
    const request = one.ask(other.address, 'stay', {}, { onMessage, signal: controller.signal });
    await within(work.begun, 'the start of the handler');
    controller.abort(new Error('cancelled'));
    await assert.rejects(request, /cancelled/);
    await within(work.ended, 'the end of the handler');
  });

  test('a request that arrives after its caller has given up is not begun', async (t) => {
    const { pubSub } = await openShared(t);
    const delayed: (() => Promise<void>)[] = [];
    let isDelayed = true;
    const slow: PubSub = {
      isCrossProcess: true,
      subscribe: (topic, listener) => pubSub.subscribe(topic, listener),
      onGap: (listener) => pubSub.onGap(listener),
      publish: async (topic, text) =>
        isDelayed ? void delayed.push(() => pubSub.publish(topic, text)) : await pubSub.publish(topic, text),
    };
    const [one, other] = [new Relay(slow, shortTimes), new Relay(slow, shortTimes)];
    t.after(() => [one, other].forEach((relay) => relay.close()));
    let begun = 0;
    other.serve('act', async () => ({ begun: (begun += 1) }));
    await assert.rejects(one.ask(other.address, 'act', {}, { onMessage }), (error) => {
      assert.ok(error instanceof RelayUnavailableError);
      return !error.hasBegun;
    });
    isDelayed = false;
    await Promise.all(delayed.map((send) => send()));
    assert.deepEqual(await one.ask(other.address, 'act', {}, { onMessage }), { begun: 1 });
  });

  test('a lost connection ends the request at both processes', async (t) => {
    const { pubSub } = await openShared(t);
    let isCut = false;
    const cut: PubSub = {
      isCrossProcess: true,
      subscribe: (topic, listener) => pubSub.subscribe(topic, listener),
      onGap: (listener) => pubSub.onGap(listener),
      publish: async (topic, text) => (isCut ? undefined : await pubSub.publish(topic, text)),
    };
    const [one, other] = [new Relay(cut, shortTimes), new Relay(cut, shortTimes)];
    t.after(() => [one, other].forEach((relay) => relay.close()));
    const work = serveUntilAborted(other);
    const request = one.ask(other.address, 'stay', {}, { onMessage });
    const lost = assert.rejects(request, { name: 'RelayUnavailableError', hasBegun: true });
    await within(work.begun, 'the start of the handler');
    isCut = true;
    await within(lost, 'the error of the caller');
    await within(work.ended, 'the end of the handler');
  });
});

/** Registers a handler for `stay` that runs until its signal is aborted. */
function serveUntilAborted(relay: Relay): { readonly begun: Promise<void>; readonly ended: Promise<void> } {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  relay.serve('stay', async (_, { signal }) => {
    signal.addEventListener('abort', () => ended.resolve(), { once: true });
    begun.resolve();
    await ended.promise;
    return {};
  });
  return { begun: begun.promise, ended: ended.promise };
}
