import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { boxed, until } from '../../../../test/mcp-servers/boxed.ts';
import { httpFixture } from '../../../../test/mcp-servers/http-fixture.ts';
import { fixtureProgram } from '../../../../test/mcp-servers/programs.ts';
import { fixtureLinks, transportOf } from '../../../../test/mcp-servers/fixture-links.ts';
import type { CallClient, CallResult, Progress } from '../../../index.ts';

/** The links on which a message can be attributed to a call. */
const attributingLinks = ['modern stdio', 'legacy http', 'modern http'] as const;

/** A caller that records questions and log messages, and answers with its name. */
class RecordingCaller implements CallClient {
  readonly name: string;
  readonly questions: string[] = [];
  readonly logged: unknown[] = [];

  constructor(name: string) {
    this.name = name;
  }

  async elicit({ message }: { message: string }): Promise<{ action: 'accept'; content: { answer: string } }> {
    this.questions.push(message);
    await wait(1);
    return { action: 'accept', content: { answer: `${this.name} says ${message}` } };
  }

  log({ data }: { data: unknown }): void {
    this.logged.push(data);
  }
}

/** A caller that answers only after `answer` is called. */
class SlowCaller implements CallClient {
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

describe('concurrent callers', () => {
  for (const link of attributingLinks) {
    test(`receive only questions and log messages of their own calls, in any order (${link})`, async (t) => {
      const { box } = await boxed(t, { transport: await transportOf(t, link) });
      let run = 0;
      const calls = fc.array(fc.record({ caller: fc.nat(2), ms: fc.nat(15), after: fc.nat(5) }), { maxLength: 8 });
      const property = fc.asyncProperty(calls, async (plan) => {
        run += 1;
        const callers = ['Ada', 'Grace', 'Alan'].map((name) => new RecordingCaller(name));
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
        for (const [index, { questions, logged }] of callers.entries()) {
          const own = (topics[index] ?? []).toSorted();
          assert.deepEqual(
            questions.toSorted(),
            own.map((topic) => `What about ${topic}?`),
          );
          // On a pipe, a log message names no call. When it is ambiguous, no caller gets it.
          const messages = own.map((topic) => `about ${topic}`);
          if (link === 'modern stdio')
            assert.deepEqual(
              logged.filter((each) => !messages.includes(String(each))),
              [],
            );
          else assert.deepEqual(logged.map(String).toSorted(), messages);
        }
      });
      await fc.assert(property, { seed: 7, numRuns: 15 });
    });
  }

  test('of different clients are not asked an ambiguous question (legacy stdio), and the call fails with that reason', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram('legacy') });
    const [ada, grace] = [new RecordingCaller('Ada'), new RecordingCaller('Grace')];
    const cancellation = new AbortController();
    const other = box.call('mcp__fixture__wait', { ms: 60_000 }, { client: grace, signal: cancellation.signal });
    const result = await box.call('mcp__fixture__interview', { topic: 'rain' }, { client: ada });
    assert.equal(result.outcome, 'failed');
    assert.match(result.error.message, /may belong to any of 2 calls of 2 clients.*nobody was asked/);
    assert.deepEqual([...ada.questions, ...grace.questions, ...ada.logged, ...grace.logged], []);
    assert.ok(server.health().stderr.includes('info: about rain'), 'its log message is stored');
    cancellation.abort();
    await other;
  });

  test('of the same client are asked an ambiguous question (legacy stdio)', async (t) => {
    const { box, server } = await boxed(t, { transport: fixtureProgram('legacy') });
    const ada = new RecordingCaller('Ada');
    const topics = ['rain', 'snow', 'sun'];
    const options = [
      // A caller that takes questions but no log messages.
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

  for (const link of fixtureLinks) {
    test(`receive the progress of their own calls (${link})`, async (t) => {
      const { box } = await boxed(t, { transport: await transportOf(t, link) });
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

  test('never receive a question of an abandoned call', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram('legacy') });
    const [ada, grace] = [new RecordingCaller('Ada'), new RecordingCaller('Grace')];
    const cancellation = new AbortController();
    const uncancellable = { topic: 'a secret', ms: 200, stubborn: true };
    const abandoned = box.call('mcp__fixture__interview', uncancellable, { client: ada, signal: cancellation.signal });
    await wait(50);
    cancellation.abort();
    assert.equal((await abandoned).outcome, 'cancelled');
    const next = await box.call('mcp__fixture__wait', { ms: 500 }, { client: grace });
    assert.equal(next.outcome, 'completed');
    assert.deepEqual([...ada.questions, ...grace.questions], []);
  });

  test('of other conversations get no questions while an abandoned call may still ask', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram('legacy') });
    const cancellation = new AbortController();
    const abandoned = box.call(
      'mcp__fixture__wait',
      { ms: 60_000 },
      { client: Object.assign(new RecordingCaller('Ada'), { conversation: 'one' }), signal: cancellation.signal },
    );
    await wait(50);
    cancellation.abort();
    assert.equal((await abandoned).outcome, 'cancelled');
    const interview = (conversation: string): Promise<CallResult> =>
      box.call(
        'mcp__fixture__interview',
        { topic: 'tea' },
        { client: Object.assign(new RecordingCaller('Grace'), { conversation }) },
      );
    assert.equal(textOf(await interview('one')), 'tea: Grace says What about tea?');
    assert.match(textOf(await interview('other')), /may belong to any of 2 calls of 2 clients/);
  });
});

/** The time limit of a tool that asks: enough for its own work on a busy machine. */
const toolTimeoutMs = 3000;
/** The delay of an answer, longer than the time limit. */
const answerDelayMs = 3500;

describe('a question of a server', () => {
  for (const link of fixtureLinks) {
    test(`does not count toward the time limit of the tool, and is withdrawn when the call is cancelled (${link})`, async (t) => {
      const { box } = await boxed(t, { transport: await transportOf(t, link), timeoutMs: toolTimeoutMs });
      const client = new SlowCaller();
      const slow = box.call('mcp__fixture__interview', { topic: 'time' }, { client });
      await until(() => client.signal !== undefined, 'the question has arrived');
      await wait(answerDelayMs);
      client.answer('later');
      assert.equal(textOf(await slow), 'time: later');

      const cancelledCaller = new SlowCaller();
      const cancellation = new AbortController();
      const cancelled = box.call(
        'mcp__fixture__interview',
        { topic: 'x' },
        { client: cancelledCaller, signal: cancellation.signal },
      );
      await until(() => cancelledCaller.signal !== undefined, 'the question has arrived');
      cancellation.abort();
      assert.equal((await cancelled).outcome, 'cancelled');
      await until(() => cancelledCaller.signal?.aborted === true, 'the question is withdrawn');
      cancelledCaller.answer('too late');
      assert.equal((await box.call('mcp__fixture__echo', { text: 'on' })).outcome, 'completed');
    });

    test(`is withdrawn at the deadline of the caller (${link})`, async (t) => {
      const { box } = await boxed(t, { transport: await transportOf(t, link) });
      const client = new SlowCaller();
      const result = await box.call('mcp__fixture__interview', { topic: 'x' }, { client, deadline: Date.now() + 3000 });
      assert.equal(result.outcome, 'timed-out');
      await until(() => client.signal?.aborted === true, 'the question is withdrawn');
    });

    test(`rejects an answer that does not match its schema, and records nothing of it (${link})`, async (t) => {
      const { box } = await boxed(t, { transport: await transportOf(t, link) });
      const answer = { action: 'accept', content: { answer: 12_345_678 } } as const;
      const result = await box.call('mcp__fixture__interview', { topic: 'x' }, { client: { elicit: () => answer } });
      assert.equal(result.outcome, 'failed');
      assert.match(result.error.message, /the answer does not match the requested schema: \$\.answer must be string/);
      const { items } = await box.journal.query();
      assert.ok(!JSON.stringify(items).includes('12345678'));
    });

    test(`fails the call when nobody can answer; the configured handler answers for callers that cannot (${link})`, async (t) => {
      const transport = await transportOf(t, link);
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
      const ada = new RecordingCaller('Ada');
      const own = await other.call('mcp__fixture__interview', { topic: 'x' }, { client: ada });
      assert.equal(textOf(own), 'x: Ada says What about x?');
    });

    test(`can be declined or cancelled (${link})`, async (t) => {
      const { box } = await boxed(t, { transport: await transportOf(t, link) });
      for (const action of ['decline', 'cancel'] as const) {
        const result = await box.call(
          'mcp__fixture__interview',
          { topic: 'x' },
          { client: { elicit: () => ({ action }) } },
        );
        assert.equal(textOf(result), `x: {"action":"${action}"}`);
      }
    });

    test(`for roots is answered by the caller, or with the configured roots (${link})`, async (t) => {
      const { box, server } = await boxed(t, {
        transport: await transportOf(t, link),
        roots: [{ uri: 'file:///configured' }],
      });
      const roots = async (client?: CallClient): Promise<string> =>
        textOf(await box.call('mcp__fixture__directories', {}, client === undefined ? {} : { client }));
      assert.match(await roots(), /"file:\/\/\/configured"/);
      assert.match(await roots({ roots: () => [{ uri: 'file:///own', name: 'mine' }] }), /"file:\/\/\/own".*mine/);
      server.setRoots([{ uri: 'file:///other' }]);
      assert.match(await roots(), /"file:\/\/\/other"/);
    });
  }

  test('counts toward no call that it may belong to, and stays open while one of them runs', async (t) => {
    const { box } = await boxed(t, { transport: fixtureProgram('legacy'), timeoutMs: toolTimeoutMs });
    const client = new SlowCaller();
    const first = box.call('mcp__fixture__wait', { ms: 300 }, { client });
    const asking = box.call('mcp__fixture__interview', { topic: 'time' }, { client });
    await until(() => client.signal !== undefined, 'the question has arrived');
    assert.equal((await first).outcome, 'completed');
    await wait(answerDelayMs);
    assert.equal(client.signal?.aborted, false);
    client.answer('later');
    assert.equal(textOf(await asking), 'time: later');
  });

  test('does not count toward the time limit when the configured handler answers', async (t) => {
    const onElicit = async (): Promise<{ action: string; content: { answer: string } }> => {
      await wait(answerDelayMs);
      return { action: 'accept', content: { answer: 'the operator' } };
    };
    const { box } = await boxed(t, { transport: fixtureProgram('legacy'), timeoutMs: toolTimeoutMs, onElicit });
    assert.equal(textOf(await box.call('mcp__fixture__interview', { topic: 'x' })), 'x: the operator');
  });

  test('outside the stream of a call goes to the only client (legacy http)', async (t) => {
    const fixture = await httpFixture('legacy');
    t.after(() => fixture.close());
    const { box } = await boxed(t, { transport: { type: 'http', url: fixture.url } });
    await until(() => fixture.isSubscribed(), 'the event stream is open');
    const ada = new RecordingCaller('Ada');
    const loose = { topic: 'rain', loose: true };
    const result = await box.call('mcp__fixture__interview', loose, { client: ada });
    assert.equal(textOf(result), 'rain: Ada says What about rain?');
  });
});

test('log messages outside a call are stored with the error output', async (t) => {
  const { box, server } = await boxed(t, { transport: fixtureProgram('legacy'), logLevel: 'info' });
  await box.call('mcp__fixture__interview', { topic: 'weather' });
  assert.ok(server.health().stderr.includes('info: about weather'));
  server.setLogLevel('error');
  await box.call('mcp__fixture__interview', { topic: 'silence' });
  assert.ok(!server.health().stderr.includes('info: about silence'));
});
