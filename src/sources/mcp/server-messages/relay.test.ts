import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { boxed, until } from '../../../../test/mcp-servers/boxed.ts';
import { fixtureProgram } from '../../../../test/mcp-servers/programs.ts';
import { fixtureLinks, transportOf } from '../../../../test/mcp-servers/fixture-links.ts';
import type { CallClient, CallResult, Progress } from '../../../index.ts';

/** The transports that attribute a message to a call. */
const certain = ['modern stdio', 'legacy http', 'modern http'] as const;

/** A caller that records questions and notifications, and answers with its name. */
class Someone implements CallClient {
  readonly name: string;
  readonly asked: string[] = [];
  readonly told: unknown[] = [];

  constructor(name: string) {
    this.name = name;
  }

  async elicit({ message }: { message: string }): Promise<{ action: 'accept'; content: { answer: string } }> {
    this.asked.push(message);
    await wait(1);
    return { action: 'accept', content: { answer: `${this.name} says ${message}` } };
  }

  log({ data }: { data: unknown }): void {
    this.told.push(data);
  }
}

/** A caller that answers only after `answer` is called. */
class Hesitant implements CallClient {
  signal: AbortSignal | undefined;
  answer: (name: string) => void = () => undefined;

  elicit(_: unknown, { signal }: { signal: AbortSignal }): Promise<{ action: 'accept'; content: { answer: string } }> {
    this.signal = signal;
    return new Promise((resolve) => {
      this.answer = (answer) => resolve({ action: 'accept', content: { answer } });
    });
  }
}

function textOf({ content: [first] }: CallResult): string {
  return first?.type === 'text' ? first.text : '';
}

describe('two callers at once', () => {
  for (const way of certain) {
    test(`each is asked and told only what its own call is about, whatever the order (${way})`, async (t) => {
      const { box } = await boxed(t, { transport: await transportOf(t, way) });
      let run = 0;
      const calls = fc.array(fc.record({ caller: fc.nat(2), ms: fc.nat(15), after: fc.nat(5) }), { maxLength: 8 });
      const property = fc.asyncProperty(calls, async (plan) => {
        run += 1;
        const callers = ['Ada', 'Grace', 'Alan'].map((name) => new Someone(name));
        const topics = callers.map((): string[] => []);
        const made = plan.map(async ({ caller, ms, after }, index) => {
          await wait(after);
          const client = callers[caller];
          assert.ok(client);
          const topic = `${client.name}-${run}-${index}`;
          topics[caller]?.push(topic);
          const result = await box.call('mcp__fixture__interview', { topic, ms }, { client });
          assert.equal(textOf(result), `${topic}: ${client.name} says What about ${topic}?`, JSON.stringify(result));
        });
        await Promise.all(made);
        for (const [index, { asked, told }] of callers.entries()) {
          const own = (topics[index] ?? []).toSorted();
          assert.deepEqual(
            asked.toSorted(),
            own.map((topic) => `What about ${topic}?`),
          );
          // On a pipe, a message names no call. Without a match, it goes to nobody rather than to the wrong caller.
          const abouts = own.map((topic) => `about ${topic}`);
          if (way === 'modern stdio')
            assert.deepEqual(
              told.filter((each) => !abouts.includes(String(each))),
              [],
            );
          else assert.deepEqual(told.map(String).toSorted(), abouts);
        }
      });
      await fc.assert(property, { seed: 7, numRuns: 15 });
    });
  }

  test('over one pipe in an older revision, neither is asked what may be the other’s question, and the call says why', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram('legacy') });
    const [ada, grace] = [new Someone('Ada'), new Someone('Grace')];
    const stop = new AbortController();
    const other = box.call('mcp__fixture__wait', { ms: 60_000 }, { client: grace, signal: stop.signal });
    const result = await box.call('mcp__fixture__interview', { topic: 'rain' }, { client: ada });
    assert.equal(result.outcome, 'failed');
    assert.match(result.error.message, /2 calls of 2 clients may be meant.*nobody is asked rather than the wrong one/);
    assert.deepEqual([...ada.asked, ...grace.asked, ...ada.told, ...grace.told], []);
    assert.ok(server.health().stderr.includes('info: about rain'), 'what it said is kept');
    stop.abort();
    await other;
  });

  test('over one pipe in an older revision, calls of the same client ask it, in every number', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram('legacy') });
    const ada = new Someone('Ada');
    const topics = ['rain', 'snow', 'sun'];
    const options = [
      // A caller that receives questions but no notifications.
      { client: { ...ada, identity: ada, elicit: ada.elicit.bind(ada) } },
      { client: ada },
      { client: ada },
    ];
    const results = await Promise.all(
      topics.map((topic, index) => box.call('mcp__fixture__interview', { topic, ms: index }, options[index])),
    );
    assert.deepEqual(
      results.map(textOf),
      topics.map((topic) => `${topic}: Ada says What about ${topic}?`),
    );
    assert.deepEqual(server.health().stderr, []);
  });

  for (const way of fixtureLinks) {
    test(`progress goes to the call it belongs to (${way})`, async (t) => {
      const { box } = await boxed(t, { transport: await transportOf(t, way) });
      await Promise.all(
        Array.from({ length: 6 }, async (_, index) => {
          const steps: Progress[] = [];
          const onProgress = (step: Progress): void => void steps.push(step);
          await box.call('mcp__fixture__steps', { name: `call ${index}`, count: 5 }, { onProgress });
          assert.deepEqual(
            steps,
            [1, 2, 3, 4, 5].map((progress) => ({ progress, message: `call ${index}` })),
          );
        }),
      );
    });
  }

  test('what is asked for a call that was given up never reaches the next caller', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram('legacy') });
    const [ada, grace] = [new Someone('Ada'), new Someone('Grace')];
    const stop = new AbortController();
    const stubborn = { topic: 'a secret', ms: 200, stubborn: true };
    const givenUp = box.call('mcp__fixture__interview', stubborn, { client: ada, signal: stop.signal });
    await wait(50);
    stop.abort();
    assert.equal((await givenUp).outcome, 'cancelled');
    const next = await box.call('mcp__fixture__wait', { ms: 500 }, { client: grace });
    assert.equal(next.outcome, 'completed');
    assert.deepEqual([...ada.asked, ...grace.asked], []);
  });

  test('an abandoned call blocks questions only to other conversations', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram('legacy') });
    const stop = new AbortController();
    const givenUp = box.call(
      'mcp__fixture__wait',
      { ms: 60_000 },
      { client: Object.assign(new Someone('Ada'), { conversation: 'one' }), signal: stop.signal },
    );
    await wait(50);
    stop.abort();
    assert.equal((await givenUp).outcome, 'cancelled');
    const interview = (conversation: string): Promise<CallResult> =>
      box.call(
        'mcp__fixture__interview',
        { topic: 'tea' },
        { client: Object.assign(new Someone('Grace'), { conversation }) },
      );
    assert.equal(textOf(await interview('one')), 'tea: Grace says What about tea?');
    assert.match(textOf(await interview('other')), /2 calls of 2 clients may be meant/);
  });
});

/** The time limit of a tool that asks: enough for its own work on a busy machine. */
const toolTimeoutMs = 3000;
/** The delay of an answer that takes longer than the tool may. */
const answerDelayMs = 3500;

describe('a question', () => {
  for (const way of fixtureLinks) {
    test(`takes no time from the tool, however slow the answer; cancelling the call takes it back (${way})`, async (t) => {
      const { box } = await boxed(t, { transport: await transportOf(t, way), timeoutMs: toolTimeoutMs });
      const client = new Hesitant();
      const slow = box.call('mcp__fixture__interview', { topic: 'time' }, { client });
      await until(() => client.signal !== undefined, 'it is asked');
      await wait(answerDelayMs);
      client.answer('later');
      assert.equal(textOf(await slow), 'time: later');

      const again = new Hesitant();
      const stop = new AbortController();
      const cancelled = box.call('mcp__fixture__interview', { topic: 'x' }, { client: again, signal: stop.signal });
      await until(() => again.signal !== undefined, 'it is asked');
      stop.abort();
      assert.equal((await cancelled).outcome, 'cancelled');
      await until(() => again.signal?.aborted === true, 'the question is taken back');
      again.answer('too late');
      assert.equal((await box.call('mcp__fixture__echo', { text: 'on' })).outcome, 'completed');
    });

    test(`does not outlive the deadline that the caller gave (${way})`, async (t) => {
      const { box } = await boxed(t, { transport: await transportOf(t, way) });
      const client = new Hesitant();
      const result = await box.call('mcp__fixture__interview', { topic: 'x' }, { client, deadline: Date.now() + 3000 });
      assert.equal(result.outcome, 'timed-out');
      await until(() => client.signal?.aborted === true, 'the question is taken back');
    });

    test(`is answered only with what fits; nothing of the answer is recorded, and the call says why it failed (${way})`, async (t) => {
      const { box } = await boxed(t, { transport: await transportOf(t, way) });
      const answer = { action: 'accept', content: { answer: 12_345_678 } } as const;
      const result = await box.call('mcp__fixture__interview', { topic: 'x' }, { client: { elicit: () => answer } });
      assert.equal(result.outcome, 'failed');
      assert.match(result.error.message, /the answer does not fit the requested schema: \$\.answer must be string/);
      const { items } = await box.journal.query();
      assert.ok(!JSON.stringify(items).includes('12345678'));
    });

    test(`that nobody can answer fails the call clearly; who stands in answers for those who cannot (${way})`, async (t) => {
      const transport = await transportOf(t, way);
      const { box } = await boxed(t, { transport });
      const failed = await box.call('mcp__fixture__interview', { topic: 'x' });
      assert.equal(failed.outcome, 'failed');
      assert.match(
        failed.error.message,
        /nobody can answer elicitation|elicitation.*capabilit|capabilit.*elicitation/i,
      );
      const onElicit = (): object => ({ action: 'accept', content: { answer: 'the operator' } });
      const { box: other } = await boxed(t, { transport, onElicit: onElicit as () => never });
      assert.equal(textOf(await other.call('mcp__fixture__interview', { topic: 'x' })), 'x: the operator');
      const ada = new Someone('Ada');
      const own = await other.call('mcp__fixture__interview', { topic: 'x' }, { client: ada });
      assert.equal(textOf(own), 'x: Ada says What about x?');
    });

    test(`may be declined or cancelled (${way})`, async (t) => {
      const { box } = await boxed(t, { transport: await transportOf(t, way) });
      for (const action of ['decline', 'cancel'] as const) {
        const result = await box.call(
          'mcp__fixture__interview',
          { topic: 'x' },
          { client: { elicit: () => ({ action }) } },
        );
        assert.equal(textOf(result), `x: {"action":"${action}"}`);
      }
    });

    test(`about directories is answered by the caller, or with those of the server (${way})`, async (t) => {
      const { box, server } = await boxed(t, {
        transport: await transportOf(t, way),
        roots: [{ uri: 'file:///usual' }],
      });
      const roots = async (client?: CallClient): Promise<string> =>
        textOf(await box.call('mcp__fixture__directories', {}, client === undefined ? {} : { client }));
      assert.match(await roots(), /"file:\/\/\/usual"/);
      assert.match(await roots({ roots: () => [{ uri: 'file:///own', name: 'mine' }] }), /"file:\/\/\/own".*mine/);
      server.setRoots([{ uri: 'file:///other' }]);
      assert.match(await roots(), /"file:\/\/\/other"/);
    });
  }

  test('takes no time from any call of the client that may be meant, and stands while one of them does', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram('legacy'), timeoutMs: toolTimeoutMs });
    const client = new Hesitant();
    const first = box.call('mcp__fixture__wait', { ms: 300 }, { client });
    const asking = box.call('mcp__fixture__interview', { topic: 'time' }, { client });
    await until(() => client.signal !== undefined, 'it is asked');
    assert.equal((await first).outcome, 'completed');
    await wait(answerDelayMs);
    assert.equal(client.signal?.aborted, false);
    client.answer('later');
    assert.equal(textOf(await asking), 'time: later');
  });

  test('takes no time from the tool when somebody stands in, either', async (t) => {
    const onElicit = async (): Promise<{ action: string; content: { answer: string } }> => {
      await wait(answerDelayMs);
      return { action: 'accept', content: { answer: 'the operator' } };
    };
    const { box } = await boxed(t, { transport: fixtureProgram('legacy'), timeoutMs: toolTimeoutMs, onElicit });
    assert.equal(textOf(await box.call('mcp__fixture__interview', { topic: 'x' })), 'x: the operator');
  });

  test('on the stream of no call is for the only client there is (legacy http)', async (t) => {
    const { box } = await boxed(t, { transport: await transportOf(t, 'legacy http') });
    await wait(200); // until it listens
    const ada = new Someone('Ada');
    const loose = { topic: 'rain', loose: true };
    const result = await box.call('mcp__fixture__interview', loose, { client: ada });
    assert.equal(textOf(result), 'rain: Ada says What about rain?');
  });
});

test('what a server says outside any call is kept with its last lines', async (t) => {
  const { box, server } = await boxed(t, { transport: fixtureProgram('legacy'), logLevel: 'info' });
  await box.call('mcp__fixture__interview', { topic: 'weather' });
  assert.ok(server.health().stderr.includes('info: about weather'));
  server.setLogLevel('error');
  await box.call('mcp__fixture__interview', { topic: 'silence' });
  assert.ok(!server.health().stderr.includes('info: about silence'));
});
