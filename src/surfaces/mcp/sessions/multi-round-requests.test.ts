import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { secondClient } from '../../../../test/mcp-clients/clients.ts';
import { envelope, messageOf, sendModern } from '../../../../test/mcp-clients/raw.ts';
import { serving, token, twoServers } from '../../../../test/mcp-clients/serving.ts';
import { type Message } from '../../../../test/mcp-clients/raw.ts';
import { SignalboxError, defineTool, localServer } from '../../../index.ts';

const capabilities = { elicitation: {} };
const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };

/** A server with a tool that asks its client twice and counts its runs. */
function twoQuestions(): { server: ReturnType<typeof localServer>; ran: () => number; ended: Promise<unknown> } {
  let ran = 0;
  const ended = Promise.withResolvers<unknown>();
  const ask = defineTool({
    name: 'ask',
    description: 'Asks twice.',
    input: { type: 'object' },
    effect: 'read',
    async run(args, { client, signal }) {
      ran += 1;
      signal.addEventListener('abort', () => ended.resolve(signal.reason));
      const first = await client?.elicit?.({ mode: 'form', message: 'First?', requestedSchema });
      const second = await client?.elicit?.({ mode: 'form', message: 'Second?', requestedSchema });
      return JSON.stringify([args, first, second]);
    },
  });
  return { server: localServer({ name: 'quiz', tools: [ask] }), ran: () => ran, ended: ended.promise };
}

function call(url: URL, more: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Message> {
  const params = { name: 'mcp__quiz__ask', arguments: { x: 1 }, ...more };
  return messageOf(sendModern(url, 'tools/call', params, { capabilities, headers }));
}

function questionOf({ result }: Message): { key: string; state: string; message: string } {
  assert.equal(result?.['resultType'], 'input_required', JSON.stringify(result));
  const [[key, request]] = Object.entries(
    result['inputRequests'] as Record<string, { params: { message: string } }>,
  ) as [[string, { params: { message: string } }]];
  return { key, state: String(result['requestState']), message: request.params.message };
}

/** Returns the HTTP request of a round with an answer, for a client that may disconnect. */
function roundRequest(key: string, requestState: string): RequestInit {
  const params = {
    name: 'mcp__quiz__ask',
    arguments: { x: 1 },
    requestState,
    inputResponses: { [key]: accepted('one') },
  };
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { ...params, _meta: envelope(capabilities) },
  });
  const modern = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': params.name };
  const headers = {
    ...modern,
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json',
  };
  return { method: 'POST', headers, body };
}

/** A server with a tool that asks its client, and then runs until it is cancelled. */
function questionThenWork(): {
  readonly server: ReturnType<typeof localServer>;
  readonly begun: Promise<void>;
  readonly ended: Promise<void>;
} {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const run = defineTool({
    name: 'ask',
    description: 'Asks, and works.',
    input: { type: 'object' },
    effect: 'read',
    async run(_, { client, signal }) {
      await client?.elicit?.({ mode: 'form', message: 'First?', requestedSchema });
      signal.addEventListener('abort', () => ended.resolve());
      begun.resolve();
      await ended.promise;
      return 'ended';
    },
  });
  return { server: localServer({ name: 'quiz', tools: [run] }), begun: begun.promise, ended: ended.promise };
}

const accepted = (answer: string): object => ({ action: 'accept', content: { answer } });

describe('a call with questions to its client in revision 2026-07-28', () => {
  test('waits for the next round, and runs once', async (t) => {
    const { server, ran } = twoQuestions();
    const { url } = await serving(t, { servers: [server] });
    const first = questionOf(await call(url));
    assert.equal(first.message, 'First?');
    const second = questionOf(
      await call(url, { requestState: first.state, inputResponses: { [first.key]: accepted('one') } }),
    );
    assert.equal(second.message, 'Second?');
    const done = await call(url, { requestState: second.state, inputResponses: { [second.key]: accepted('two') } });
    assert.deepEqual(JSON.parse(done.result?.content?.[0]?.text ?? ''), [{ x: 1 }, accepted('one'), accepted('two')]);
    assert.equal(ran(), 1);
  });

  test('continues at any process, once, and only for its principal and arguments', async (t) => {
    const { server, ran } = twoQuestions();
    const { box, one, other } = await twoServers(t, { servers: [server] });
    const first = questionOf(await call(one));
    const round = { requestState: first.state, inputResponses: { [first.key]: accepted('one') } };
    const { token: stranger } = await box.tokens.create({ role: 'agent', by: { id: 'user:test', kind: 'human' } });
    const refused = await call(other, round, { Authorization: `Bearer ${stranger}` });
    assert.match(refused.error?.message ?? '', /not valid for this request/);
    assert.match(
      (await call(other, { ...round, arguments: { x: 2 } })).error?.message ?? '',
      /not valid for this request/,
    );
    const second = questionOf(await call(other, round));
    assert.equal(second.message, 'Second?');
    assert.match((await call(other, round)).error?.message ?? '', /already used/);
    const done = await call(other, { requestState: second.state, inputResponses: { [second.key]: accepted('two') } });
    assert.deepEqual(JSON.parse(done.result?.content?.[0]?.text ?? ''), [{ x: 1 }, accepted('one'), accepted('two')]);
    assert.equal(ran(), 1);
  });

  test('must be sent again when the process that held it is gone', async (t) => {
    const { server, ended } = twoQuestions();
    const { one, other, endOne } = await twoServers(t, { servers: [server] });
    const { key, state } = questionOf(await call(one));
    await endOne();
    await ended;
    const round = { requestState: state, inputResponses: { [key]: accepted('one') } };
    assert.match((await call(other, round)).error?.message ?? '', /send the request again without it/);
  });

  test('is refused with status 503 while the store is unavailable, without the address of the store', async (t) => {
    const { server, ran } = twoQuestions();
    const { box, url } = await serving(t, { servers: [server] });
    const unavailable = new SignalboxError('store-unavailable', 'PostgreSQL at postgres://user@host does not respond');
    t.mock.method(box.shared.keyValues, 'add', () => Promise.reject(unavailable));
    const refused = await sendModern(url, 'tools/list', {}, { capabilities });
    assert.equal(refused.status, 503);
    assert.doesNotMatch(await refused.text(), /postgres/i);
    assert.equal(ran(), 0);
  });

  test('a client that disconnects at another process cancels the call', async (t) => {
    const { server, begun, ended } = questionThenWork();
    const { one, other } = await twoServers(t, { servers: [server] });
    const { key, state } = questionOf(await call(one));
    const disconnect = new AbortController();
    const request = fetch(other, { ...roundRequest(key, state), signal: disconnect.signal });
    await begun;
    disconnect.abort();
    await assert.rejects(request);
    await ended;
  });

  test('a request that was running in a lost process is not to be repeated; the error refers to the journal', async (t) => {
    const { server, begun } = questionThenWork();
    const { one, other, endOne } = await twoServers(t, { servers: [server] });
    const { key, state } = questionOf(await call(one));
    const round = call(other, { requestState: state, inputResponses: { [key]: accepted('one') } });
    await begun;
    await endOne();
    assert.match((await round).error?.message ?? '', /the journal has the outcome of/);
  });

  test('asks again when an answer is missing or invalid', async (t) => {
    const { server } = twoQuestions();
    const { url } = await serving(t, { servers: [server] });
    let { key, state } = questionOf(await call(url));
    for (const wrong of [
      undefined,
      { other: accepted('x') },
      { [key]: 12 },
      { [key]: { action: 'accept', content: {} } },
    ]) {
      const again = questionOf(await call(url, { requestState: state, inputResponses: wrong ?? null }));
      assert.equal(again.message, 'First?');
      assert.notEqual(again.state, state);
      ({ key, state } = again);
    }
    assert.equal(
      questionOf(await call(url, { requestState: state, inputResponses: { [key]: accepted('one') } })).message,
      'Second?',
    );
  });

  test('its state is valid once, for the same request of the same principal', async (t) => {
    const { server, ran } = twoQuestions();
    const { box, url } = await serving(t, { servers: [server] });
    const made = await box.tokens.create({ role: 'agent', by: { id: 'user:test', kind: 'human' } });
    const { key, state } = questionOf(await call(url));
    const inputResponses = { [key]: accepted('one') };
    const refused = async (more: Record<string, unknown>, headers?: Record<string, string>): Promise<void> => {
      assert.equal((await call(url, { requestState: state, inputResponses, ...more }, headers)).error?.code, -32_602);
    };
    await refused({ arguments: { x: 2 } });
    await refused({}, { Authorization: `Bearer ${made.token}` });
    await refused({ requestState: 12 });
    const next = await call(url, { requestState: state, inputResponses });
    assert.equal(questionOf(next).message, 'Second?');
    await refused({});
    assert.equal(ran(), 1);
  });

  test('a changed state is refused, and the call still waits', async (t) => {
    const { server, ran } = twoQuestions();
    const { url } = await serving(t, { servers: [server] });
    const { key, state } = questionOf(await call(url));
    const mutation = fc.record({
      at: fc.nat(state.length - 1),
      by: fc.integer({ min: 1, max: 63 }),
      cut: fc.boolean(),
    });
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const property = fc.asyncProperty(mutation, async ({ at, by, cut }) => {
      const letter = letters[(letters.indexOf(state.charAt(at)) + by) % 64] ?? '';
      const forged = cut ? state.slice(0, at) : state.slice(0, at) + letter + state.slice(at + 1);
      const { error } = await call(url, { requestState: forged, inputResponses: { [key]: accepted('one') } });
      assert.equal(error?.code, -32_602, forged);
    });
    await fc.assert(property, { seed: 11, numRuns: 200 });
    assert.equal(
      questionOf(await call(url, { requestState: state, inputResponses: { [key]: accepted('one') } })).message,
      'Second?',
    );
    assert.equal(ran(), 1);
  });

  test('a client without elicitation gets the result that the tool returns without answers', async (t) => {
    const { server } = twoQuestions();
    const { url } = await serving(t, { servers: [server] });
    const params = { name: 'mcp__quiz__ask', arguments: {} };
    const { result } = await messageOf(sendModern(url, 'tools/call', params));
    assert.equal(result?.content?.[0]?.text, '[{},null,null]');
  });
});

for (const era of ['legacy', 'modern'] as const)
  test(`progress that a tool reports synchronously reaches its client (${era})`, async (t) => {
    const eager = defineTool({
      name: 'eager',
      description: 'Reports progress at once.',
      input: { type: 'object' },
      effect: 'read',
      run: (_args, { progress }) => {
        progress({ progress: 1, message: 'at once' });
        return 'done';
      },
    });
    const { url } = await serving(t, { servers: [localServer({ name: 'local', tools: [eager] })] });
    const client = await secondClient(t, url, era);
    const messages: (string | undefined)[] = [];
    const onprogress = ({ message }: { message?: string | undefined }): void => void messages.push(message);
    await client.callTool({ name: 'mcp__local__eager', arguments: {} }, { onprogress });
    assert.deepEqual(messages, ['at once']);
  });
