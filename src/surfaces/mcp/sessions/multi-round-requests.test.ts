import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { secondClient } from '../../../../test/mcp-clients/clients.ts';
import { envelope, messageOf, sendModern } from '../../../../test/mcp-clients/raw.ts';
import { serving, token } from '../../../../test/mcp-clients/serving.ts';
import { twoServers } from '../../../../test/mcp-clients/two-servers.ts';
import { type Message } from '../../../../test/mcp-clients/raw.ts';
import { SignalboxError, defineTool, localServer } from '../../../index.ts';

const capabilities = { elicitation: {} };
const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };

/** A server whose tool asks twice and counts its runs. */
function asking(): { server: ReturnType<typeof localServer>; ran: () => number; ended: Promise<unknown> } {
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

/** Creates a request with an answer, for a client that may disconnect. */
function roundOf(key: string, requestState: string): RequestInit {
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
  const own = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': params.name };
  const headers = {
    ...own,
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    Accept: 'application/json',
  };
  return { method: 'POST', headers, body };
}

/** A tool that asks, and then runs until it is cancelled. */
function working(): {
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

describe('a call that asks its client in the revision without sessions', () => {
  test('waits for the next round, and runs once', async (t) => {
    const { server, ran } = asking();
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

  test('goes on at whichever process the next round comes to, once, and for nobody else', async (t) => {
    const { server, ran } = asking();
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

  test('has to be made again when the process that held it is gone', async (t) => {
    const { server, ended } = asking();
    const { one, other, endOne } = await twoServers(t, { servers: [server] });
    const { key, state } = questionOf(await call(one));
    await endOne();
    await ended;
    const round = { requestState: state, inputResponses: { [key]: accepted('one') } };
    assert.match((await call(other, round)).error?.message ?? '', /send the request again without it/);
  });

  test('is refused for the moment while the store cannot be asked, and not told where that is', async (t) => {
    const { server, ran } = asking();
    const { box, url } = await serving(t, { servers: [server] });
    const away = new SignalboxError('store-unavailable', 'PostgreSQL at postgres://user@host does not answer');
    t.mock.method(box.shared.keyValues, 'add', () => Promise.reject(away));
    const refused = await sendModern(url, 'tools/list', {}, { capabilities });
    assert.equal(refused.status, 503);
    assert.doesNotMatch(await refused.text(), /postgres/i);
    assert.equal(ran(), 0);
  });

  test('a client that hangs up at another process ends its call', async (t) => {
    const { server, begun, ended } = working();
    const { one, other } = await twoServers(t, { servers: [server] });
    const { key, state } = questionOf(await call(one));
    const hangUp = new AbortController();
    const gone = fetch(other, { ...roundOf(key, state), signal: hangUp.signal });
    await begun;
    hangUp.abort();
    await assert.rejects(gone);
    await ended;
  });

  test('nobody is told to make a request again that was under way at a process that is gone', async (t) => {
    const { server, begun } = working();
    const { one, other, endOne } = await twoServers(t, { servers: [server] });
    const { key, state } = questionOf(await call(one));
    const round = call(other, { requestState: state, inputResponses: { [key]: accepted('one') } });
    await begun;
    await endOne();
    assert.match((await round).error?.message ?? '', /the journal has the outcome of/);
  });

  test('asks again for an answer that is missing or does not fit', async (t) => {
    const { server } = asking();
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

  test('its state is good once, for the same request of the same principal, and for nothing else', async (t) => {
    const { server, ran } = asking();
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
    const moved = await call(url, { requestState: state, inputResponses });
    assert.equal(questionOf(moved).message, 'Second?');
    await refused({});
    assert.equal(ran(), 1);
  });

  test('a state that was changed anywhere is refused, and the call still waits', async (t) => {
    const { server, ran } = asking();
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

  test('a client that cannot be asked gets the tool’s own answer', async (t) => {
    const { server } = asking();
    const { url } = await serving(t, { servers: [server] });
    const params = { name: 'mcp__quiz__ask', arguments: {} };
    const { result } = await messageOf(sendModern(url, 'tools/call', params));
    assert.equal(result?.content?.[0]?.text, '[{},null,null]');
  });
});

for (const era of ['legacy', 'modern'] as const)
  test(`what a tool tells before it waits for anything is heard (${era})`, async (t) => {
    const eager = defineTool({
      name: 'eager',
      description: 'Tells at once.',
      input: { type: 'object' },
      effect: 'read',
      run: (_args, { progress }) => {
        progress({ progress: 1, message: 'at once' });
        return 'done';
      },
    });
    const { url } = await serving(t, { servers: [localServer({ name: 'local', tools: [eager] })] });
    const client = await secondClient(t, url, era);
    const heard: (string | undefined)[] = [];
    const onprogress = ({ message }: { message?: string | undefined }): void => void heard.push(message);
    await client.callTool({ name: 'mcp__local__eager', arguments: {} }, { onprogress });
    assert.deepEqual(heard, ['at once']);
  });
