import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../../core/json/json.ts';
import { ControlChannel, type ControlChannelOptions } from './control-channel.ts';

/** Creates a channel whose peer is the test. */
function opened(onRequest: ControlChannelOptions['onRequest'] = () => Promise.resolve({})) {
  const [sent, messages, broken]: [JsonObject[], JsonObject[], string[]] = [[], [], []];
  const channel = new ControlChannel({
    maxFrameBytes: 10_000,
    write: (line) => sent.push(JSON.parse(line) as JsonObject),
    onMessage: (message) => messages.push(message),
    onRequest,
    onBroken: (why) => broken.push(why),
    onTooLarge: () => broken.push('too large'),
  });
  const receive = (...frames: unknown[]): void =>
    channel.read(Buffer.from(frames.map((frame) => `${JSON.stringify(frame)}\n`).join('')));
  return { channel, sent, messages, broken, receive };
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the control channel', () => {
  test('answers each question under its id, in whatever order the answers come', async () => {
    const first = Promise.withResolvers<JsonObject>();
    const { receive, sent } = opened(({ n }) => (n === 1 ? first.promise : Promise.resolve({ n: n ?? null })));
    for (const n of [1, 2]) receive({ type: 'control_request', request_id: `r${n}`, request: { subtype: 'x', n } });
    await settled();
    first.resolve({ n: 1 });
    await settled();
    assert.deepEqual(sent, [
      { type: 'control_response', response: { subtype: 'success', request_id: 'r2', response: { n: 2 } } },
      { type: 'control_response', response: { subtype: 'success', request_id: 'r1', response: { n: 1 } } },
    ]);
  });

  test('a question that fails is answered with the error', async () => {
    const { receive, sent } = opened(() => Promise.reject(new Error('no such question')));
    receive({ type: 'control_request', request_id: 'r', request: { subtype: 'unheard_of' } });
    await settled();
    const response = { subtype: 'error', request_id: 'r', error: 'no such question' };
    assert.deepEqual(sent, [{ type: 'control_response', response }]);
  });

  test('a question that is taken back is told so and gets no answer', async () => {
    let taken: AbortSignal | undefined;
    const answer = Promise.withResolvers<JsonObject>();
    const { receive, sent } = opened((_, signal) => {
      taken = signal;
      return answer.promise;
    });
    receive({ type: 'control_request', request_id: 'r', request: { subtype: 'x' } });
    receive({ type: 'control_cancel_request', request_id: 'r' });
    assert.equal(taken?.aborted, true);
    answer.resolve({});
    await settled();
    assert.deepEqual(sent, []);
  });

  test('a question that comes twice under one id is answered once', async () => {
    let asked = 0;
    const { receive, sent } = opened(() => {
      asked += 1;
      return Promise.resolve({});
    });
    const question = { type: 'control_request', request_id: 'r', request: { subtype: 'x' } };
    receive(question, question);
    await settled();
    assert.deepEqual([asked, sent.length], [1, 1]);
  });

  test('what we ask resolves with its own answer, rejects with an error, and rejects when the channel closes', async () => {
    const { channel, receive, sent } = opened();
    const [one, two, three] = [1, 2, 3].map((n) => channel.request({ subtype: 'ask', n }));
    const [a, b] = sent.map((frame) => frame['request_id']);
    receive({ type: 'control_response', response: { subtype: 'error', request_id: b, error: 'not now' } });
    receive({ type: 'control_response', response: { subtype: 'success', request_id: a, response: { yes: true } } });
    assert.deepEqual(await one, { yes: true });
    await assert.rejects(two ?? Promise.resolve(), /not now/);
    channel.close('the process went away');
    await assert.rejects(three ?? Promise.resolve(), /the process went away/);
    await assert.rejects(channel.request({ subtype: 'ask' }), /the process went away/);
  });

  test('whatever comes in between, whole frames are understood and nothing is thrown', async () => {
    const frame = fc.oneof(
      fc.json().filter((line) => !line.includes('\n')),
      fc.string().map((line) => line.replaceAll('\n', ' ')),
      fc
        .tuple(
          fc.constantFrom('control_request', 'control_response', 'control_cancel_request', 'assistant', ''),
          fc.jsonValue(),
          fc.jsonValue(),
        )
        .map(([type, id, body]) => JSON.stringify({ type, request_id: id, request: body, response: body })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { maxLength: 20 }), fc.integer({ min: 1, max: 50 }), async (lines, size) => {
        const { channel, messages, sent } = opened((request) =>
          request['subtype'] === 'mine' ? Promise.resolve({}) : Promise.reject(new Error('unknown')),
        );
        const mine = { type: 'control_request', request_id: 'the-last-of-mine', request: { subtype: 'mine' } };
        const said = { type: 'system', subtype: 'mine' };
        const bytes = Buffer.from(`${lines.join('\n')}\n${JSON.stringify(mine)}\n${JSON.stringify(said)}\n`);
        for (let at = 0; at < bytes.length; at += size) channel.read(bytes.subarray(at, at + size));
        await settled();
        assert.deepEqual(messages.at(-1), said);
        assert.ok(
          sent.some(({ response }) => (response as JsonObject)['request_id'] === 'the-last-of-mine'),
          'a whole question was not answered',
        );
      }),
      { seed: 5, numRuns: 500 },
    );
  });

  test('what is no frame is skipped and reported, and what is too large is told of', () => {
    const { channel, receive, broken, messages } = opened();
    channel.read(Buffer.from('starting up …\n'));
    receive({ no: 'type' }, { type: 'control_request', request: {} }, { type: 'assistant', text: 'x'.repeat(20_000) });
    receive({ type: 'assistant' });
    assert.deepEqual(broken.length, 4);
    assert.match(broken[0] ?? '', /starting up/);
    assert.equal(broken[3], 'too large');
    assert.deepEqual(messages, [{ type: 'assistant' }]);
  });
});
