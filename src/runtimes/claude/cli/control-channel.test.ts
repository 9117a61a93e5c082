import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../../core/json/json.ts';
import { ControlChannel, type ControlChannelOptions } from './control-channel.ts';

/** Creates a channel whose peer is the test. */
function createChannel(onRequest: ControlChannelOptions['onRequest'] = () => Promise.resolve({})) {
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

describe('ControlChannel', () => {
  test('responds to each request by its id, in any order', async () => {
    const first = Promise.withResolvers<JsonObject>();
    const { receive, sent } = createChannel(({ n }) => (n === 1 ? first.promise : Promise.resolve({ n: n ?? null })));
    for (const n of [1, 2]) receive({ type: 'control_request', request_id: `r${n}`, request: { subtype: 'x', n } });
    await settled();
    first.resolve({ n: 1 });
    await settled();
    assert.deepEqual(sent, [
      { type: 'control_response', response: { subtype: 'success', request_id: 'r2', response: { n: 2 } } },
      { type: 'control_response', response: { subtype: 'success', request_id: 'r1', response: { n: 1 } } },
    ]);
  });

  test('responds to a failed request with its error', async () => {
    const { receive, sent } = createChannel(() => Promise.reject(new Error('unknown request')));
    receive({ type: 'control_request', request_id: 'r', request: { subtype: 'unknown' } });
    await settled();
    const response = { subtype: 'error', request_id: 'r', error: 'unknown request' };
    assert.deepEqual(sent, [{ type: 'control_response', response }]);
  });

  test('aborts a cancelled request and sends no response', async () => {
    let requestSignal: AbortSignal | undefined;
    const answer = Promise.withResolvers<JsonObject>();
    const { receive, sent } = createChannel((_, signal) => {
      requestSignal = signal;
      return answer.promise;
    });
    receive({ type: 'control_request', request_id: 'r', request: { subtype: 'x' } });
    receive({ type: 'control_cancel_request', request_id: 'r' });
    assert.equal(requestSignal?.aborted, true);
    answer.resolve({});
    await settled();
    assert.deepEqual(sent, []);
  });

  test('serves a request with a repeated id only once', async () => {
    let served = 0;
    const { receive, sent } = createChannel(() => {
      served += 1;
      return Promise.resolve({});
    });
    const request = { type: 'control_request', request_id: 'r', request: { subtype: 'x' } };
    receive(request, request);
    await settled();
    assert.deepEqual([served, sent.length], [1, 1]);
  });

  test('a request resolves with its response, rejects with an error response, and rejects when the channel closes', async () => {
    const { channel, receive, sent } = createChannel();
    const [one, two, three] = [1, 2, 3].map((n) => channel.request({ subtype: 'ask', n }));
    const [a, b] = sent.map((frame) => frame['request_id']);
    receive({ type: 'control_response', response: { subtype: 'error', request_id: b, error: 'not now' } });
    receive({ type: 'control_response', response: { subtype: 'success', request_id: a, response: { yes: true } } });
    assert.deepEqual(await one, { yes: true });
    await assert.rejects(two ?? Promise.resolve(), /not now/);
    channel.close('the process exited');
    await assert.rejects(three ?? Promise.resolve(), /the process exited/);
    await assert.rejects(channel.request({ subtype: 'ask' }), /the process exited/);
  });

  test('handles valid frames among random input without exceptions', async () => {
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
        const { channel, messages, sent } = createChannel((received) =>
          received['subtype'] === 'known' ? Promise.resolve({}) : Promise.reject(new Error('unknown')),
        );
        const request = { type: 'control_request', request_id: 'last-request', request: { subtype: 'known' } };
        const message = { type: 'system', subtype: 'known' };
        const bytes = Buffer.from(`${lines.join('\n')}\n${JSON.stringify(request)}\n${JSON.stringify(message)}\n`);
        for (let at = 0; at < bytes.length; at += size) channel.read(bytes.subarray(at, at + size));
        await settled();
        assert.deepEqual(messages.at(-1), message);
        assert.ok(
          sent.some(({ response }) => (response as JsonObject)['request_id'] === 'last-request'),
          'a valid request was not answered',
        );
      }),
      { seed: 5, numRuns: 500 },
    );
  });

  test('skips and reports invalid and oversized frames', () => {
    const { channel, receive, broken, messages } = createChannel();
    channel.read(Buffer.from('starting up …\n'));
    receive({ no: 'type' }, { type: 'control_request', request: {} }, { type: 'assistant', text: 'x'.repeat(20_000) });
    receive({ type: 'assistant' });
    assert.deepEqual(broken.length, 4);
    assert.match(broken[0] ?? '', /starting up/);
    assert.equal(broken[3], 'too large');
    assert.deepEqual(messages, [{ type: 'assistant' }]);
  });
});
