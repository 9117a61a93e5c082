import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { within } from '../../../../test/support/within.ts';
import { createSignalbox } from '../../../index.ts';
import { Relay, RelayLost, type RelayTimes } from './relay.ts';

const times: RelayTimes = { answerMs: 500, beatMs: 20 };

async function two(t: TestContext, of: RelayTimes = times): Promise<[Relay, Relay]> {
  const box = await createSignalbox();
  const relays: [Relay, Relay] = [new Relay(box.shared.post, of), new Relay(box.shared.post, of)];
  t.after(async () => {
    for (const relay of relays) relay.close();
    await box.close();
  });
  return relays;
}

const tell = (): void => undefined;

describe('work that another process does', () => {
  test('is answered, after all that was said before and in its order, however long it takes', async (t) => {
    const [one, other] = await two(t);
    other.serve('count', async ({ to }, caller) => {
      for (let count = 1; count <= Number(to); count += 1) caller.tell(String(count));
      await wait(200);
      return { counted: Number(to) };
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
    const [one, other] = await two(t, { answerMs: 50, beatMs: 1000 });
    other.serve('fail', () => Promise.reject(new Error('no')));
    const begun = Promise.withResolvers<void>();
    other.serve('stay', () => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    const lost = (asked: Promise<unknown>): Promise<void> => assert.rejects(within(asked, 'an answer'), RelayLost);
    await lost(one.ask('at_0000000000000000000', 'fail', {}, { tell }));
    await lost(one.ask(other.place, 'fail', {}, { tell }));
    await lost(one.ask(other.place, 'unknown', {}, { tell }));
    const staying = lost(one.ask(other.place, 'stay', {}, { tell }));
    await begun.promise;
    other.close();
    await staying;
  });

  test('ends when whoever asked does not want it any more, or falls silent', async (t) => {
    const [one, other] = await two(t);
    const signals: AbortSignal[] = [];
    const aborted = (signal: AbortSignal): Promise<unknown> =>
      new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    const begun: (() => void)[] = [];
    other.serve('stay', async (_, { signal }) => {
      signals.push(signal);
      begun.shift()?.();
      await aborted(signal);
      return {};
    });
    const asked = async (signal?: AbortSignal): Promise<Promise<unknown>> => {
      const started = new Promise<void>((resolve) => begun.push(resolve));
      const answer = one.ask(other.place, 'stay', {}, { tell, signal }).catch((error: unknown) => error);
      await within(started, 'the work begins');
      return answer.then(() => undefined);
    };
    const controller = new AbortController();
    const unwanted = asked(controller.signal);
    await wait(20);
    controller.abort(new Error('enough'));
    await unwanted;
    const [first] = signals;
    assert.ok(first !== undefined);
    if (!first.aborted) await within(aborted(first), 'the work is ended');
  });
});
