import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { begin, eventsIn, messageOf, readUntil, send } from '../../../../test/mcp-clients/raw.ts';
import { token, twoServers } from '../../../../test/mcp-clients/serving.ts';
import { httpFixture } from '../../../../test/mcp-servers/http-fixture.ts';
import { until } from '../../../../test/mcp-servers/boxed.ts';
import { within } from '../../../../test/support/within.ts';
import { defineTool, localServer, mcpServer } from '../../../index.ts';
import { startServer } from '../../../server/start-server.ts';

const authorized = { Authorization: `Bearer ${token}`, Accept: 'text/event-stream' };
const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };

function request(id: number, method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

function call(id: number, name: string, meta: object = {}): string {
  return request(id, 'tools/call', { name: `mcp__desk__${name}`, arguments: {}, _meta: meta });
}

/** Three tools: one reports progress and waits, one asks the user, and one returns its session. */
function desk(description = 'Answers.'): {
  readonly server: ReturnType<typeof localServer>;
  readonly open: () => void;
  readonly cancelled: Promise<void>;
} {
  const opened = Promise.withResolvers<void>();
  const cancelled = Promise.withResolvers<void>();
  const tool = { input: { type: 'object' }, effect: 'read' } as const;
  const tools = [
    defineTool({
      ...tool,
      name: 'wait',
      description: 'Waits.',
      async run(_, { progress, signal }) {
        signal.addEventListener('abort', () => cancelled.resolve());
        progress({ progress: 1, message: 'begun' });
        await Promise.race([opened.promise, cancelled.promise]);
        progress({ progress: 2, message: 'opened' });
        return 'waited';
      },
    }),
    defineTool({
      ...tool,
      name: 'ask',
      description: 'Asks.',
      run: async (_, { client }) =>
        JSON.stringify(await client?.elicit?.({ mode: 'form', message: 'What?', requestedSchema })),
    }),
    defineTool({ ...tool, name: 'say', description, run: (_, { session }) => session ?? 'none' }),
  ];
  return { server: localServer({ name: 'desk', tools }), open: opened.resolve, cancelled: cancelled.promise };
}

describe('a session that another process began', () => {
  test('continues under its recorded id, only for its principal', async (t) => {
    const { box, one, other } = await twoServers(t, { servers: [desk().server] });
    const session = await begin(one);
    const sessions: unknown[] = [];
    for (const url of [one, other, one])
      sessions.push((await messageOf(send(url, call(1, 'say'), session))).result?.content?.[0]?.text);
    assert.match(String(sessions[0]), /^mcp_\w{19}$/);
    assert.deepEqual(new Set(sessions).size, 1);
    const { token: stranger } = await box.tokens.create({ role: 'agent', by: { id: 'user:test', kind: 'human' } });
    const asStranger = { ...session, Authorization: `Bearer ${stranger}` };
    assert.equal((await send(other, call(2, 'say'), asStranger)).status, 404);
    const notLoaded = await begin(one);
    assert.equal(
      (await send(other, call(2, 'say'), { ...notLoaded, Authorization: `Bearer ${stranger}` })).status,
      404,
    );
    assert.equal((await send(other, call(3, 'say'), notLoaded)).status, 200);
    const stored = JSON.stringify(await box.shared.keyValues.list('mcp-session'));
    assert.match(stored, /2025-11-25/);
    assert.ok(!stored.includes(session['Mcp-Session-Id'] ?? ''), 'its id is not stored');
  });

  test('forwards answers and cancellations to the process that waits for them, and accepts none from another session', async (t) => {
    const { server, cancelled } = desk();
    const { one, other } = await twoServers(t, { servers: [server] });
    const [session, stranger] = [await begin(one, { elicitation: {} }), await begin(one, { elicitation: {} })];
    const response = await send(one, call(7, 'ask'), session);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    const read = async (isEnough: RegExp): Promise<void> => {
      while (!isEnough.test(text)) {
        const { done, value } = await within(reader.read(), String(isEnough), () => text);
        if (done) break;
        text += new TextDecoder().decode(value);
      }
    };
    await read(/"elicitation\/create"/);
    const question = eventsIn(text)
      .flatMap(({ data }) => (data === '' ? [] : [JSON.parse(data) as { id: string; method?: string }]))
      .find(({ method }) => method === 'elicitation/create');
    assert.ok(question !== undefined);
    const answer = (content: string): string =>
      JSON.stringify({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { answer: content } } });
    assert.equal((await send(other, answer('of a stranger'), stranger)).status, 202);
    assert.equal((await send(other, answer('mine'), session)).status, 202);
    await read(/"result"/);
    assert.match(text, /mine/);
    assert.doesNotMatch(text, /of a stranger/);

    const waiting = await send(one, call(8, 'wait', { progressToken: 'p' }), session);
    const cancel = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 8 } });
    assert.equal((await send(other, cancel, stranger)).status, 202);
    assert.equal((await send(other, cancel, session)).status, 202);
    await within(cancelled, 'the cancellation of the tool');
    assert.equal((await messageOf(waiting)).result?.isError, true);
  });

  test('runs a changed tool only after any process has listed it again', async (t) => {
    const { box, one, other } = await twoServers(t, { servers: [desk('Says.').server] });
    const session = await begin(one);
    await (await send(one, request(1, 'tools/list'), session)).text();
    await box.servers.replace(desk('Says it differently.').server).close();
    const stale = await messageOf(send(other, call(2, 'say'), session));
    assert.match(stale.result?.content?.[0]?.text ?? '', /changed/);
    await (await send(one, request(3, 'tools/list'), session)).text();
    assert.match(
      (await messageOf(send(other, call(4, 'say'), session))).result?.content?.[0]?.text ?? '',
      /^mcp_\w{19}$/,
    );
  });

  test('ends in all processes when its client ends it', async (t) => {
    const { one, other } = await twoServers(t, {});
    const session = await begin(one);
    assert.equal((await send(other, request(1, 'ping'), session)).status, 200);
    const stream = await fetch(one, { headers: { ...session, ...authorized } });
    assert.equal((await fetch(other, { method: 'DELETE', headers: { ...session, ...authorized } })).status, 204);
    await within(stream.text(), 'the stream of the other process ends');
    for (const url of [one, other]) assert.equal((await send(url, request(2, 'ping'), session)).status, 404);
  });

  test('survives the process that began it, and notifies its client of changes from any process', async (t) => {
    const { box, one, other, endOne } = await twoServers(t, {});
    const session = await begin(one);
    await (await send(one, request(1, 'tools/list'), session)).text();
    await endOne();
    box.servers.add(desk().server);
    const stream = await fetch(other, { headers: { ...session, ...authorized } });
    const missed = await readUntil(stream, (text) => text.includes('tools/list_changed'));
    assert.equal(eventsIn(missed).length, 1, 'it is notified of the change it missed');
    const again = await fetch(other, { headers: { ...session, ...authorized } });
    box.servers.disable('signalbox');
    await readUntil(again, (text) => text.includes('tools/list_changed'));
    assert.match(
      (await messageOf(send(other, call(2, 'say'), session))).result?.content?.[0]?.text ?? '',
      /^mcp_\w{19}$/,
    );
  });

  test('resumes a stream that another process holds, without duplicate or missing events', async (t) => {
    const { server, open } = desk();
    const { one, other } = await twoServers(t, { servers: [server] });
    const session = await begin(one);
    const lost = await send(one, call(7, 'wait', { progressToken: 'p' }), session);
    const last = eventsIn(await readUntil(lost, (text) => text.includes('begun'))).at(-1)?.id ?? '';
    const resumed = fetch(other, { headers: { ...session, ...authorized, 'Last-Event-ID': last } });
    open();
    const after = eventsIn(await readUntil(await resumed, (text) => text.includes('"result"')));
    assert.deepEqual(
      after.map(({ data }) => {
        const { id, params } = JSON.parse(data) as { id?: number; params?: { message: string } };
        return id ?? params?.message;
      }),
      ['opened', 7],
    );
  });

  test('answers a request whose process is gone with an error and ends its stream', async (t) => {
    const { server } = desk();
    const { one, other, endOne } = await twoServers(t, { servers: [server] });
    const session = await begin(one);
    const lost = await send(one, call(7, 'wait', { progressToken: 'p' }), session);
    const last = eventsIn(await readUntil(lost, (text) => text.includes('begun'))).at(-1)?.id ?? '';
    await endOne();
    const headers = { ...session, ...authorized };
    const resumed = await fetch(other, { headers: { ...headers, 'Last-Event-ID': last } });
    const [event] = eventsIn(await within(resumed.text(), 'the stream ends'));
    const { id, error } = JSON.parse(event?.data ?? '{}') as { id?: number; error?: { message: string } };
    assert.equal(id, 7);
    assert.match(error?.message ?? '', /is gone/);
    const again = await fetch(other, { headers: { ...headers, 'Last-Event-ID': event?.id ?? '' } });
    assert.equal(again.status, 405);
  });

  test('is notified of a resource that it subscribed to at a different process than the one it listens to', async (t) => {
    const fixture = await httpFixture('modern');
    t.after(() => fixture.close());
    const server = mcpServer({ name: 'fixture', transport: { type: 'http', url: fixture.url } });
    const { one, other } = await twoServers(t, { servers: [server] });
    await server.ready();
    const session = await begin(one);
    const stream = await fetch(other, { headers: { ...session, ...authorized } });
    const subscribed = await messageOf(send(one, request(1, 'resources/subscribe', { uri: 'note://one' }), session));
    assert.deepEqual(subscribed.result, {});
    const updates = setInterval(() => fixture.resourceUpdated('note://one'), 50);
    t.after(() => clearInterval(updates));
    assert.match(await readUntil(stream, (text) => text.includes('resources/updated')), /note:\/\/one/);
  });

  test('survives a restart of its server on the same data directory', async (t) => {
    const data = mkdtempSync(join(tmpdir(), 'signalbox-any-process-'));
    t.after(() => rmSync(data, { recursive: true }));
    const serve = async (): Promise<{ url: URL; end(): Promise<void> }> => {
      const box = await openSignalbox({ data, servers: [desk().server] });
      const server = await startServer({ box, host: '127.0.0.1', port: 0, token, limits: { graceMs: 0 } });
      const end = async (): Promise<void> => {
        await server.close();
        await box.close();
      };
      return { url: new URL(`${server.url}/mcp`), end };
    };
    const before = await serve();
    const session = await begin(before.url);
    const answer = await messageOf(send(before.url, call(1, 'say'), session));
    await before.end();
    const after = await serve();
    t.after(() => after.end());
    assert.deepEqual(await messageOf(send(after.url, call(1, 'say'), session)), answer);
  });

  test('is not in use by a client that disconnected while the store was queried', async (t) => {
    const { box, one, other } = await twoServers(t, {});
    const session = await begin(one);
    const clients = async (): Promise<readonly { readonly inUse: boolean }[]> => {
      const headers = { Authorization: `Bearer ${token}` };
      const listed = await fetch(new URL('/api/clients', other), { headers });
      return ((await listed.json()) as { items: { inUse: boolean }[] }).items;
    };
    const [queried, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const get = box.shared.keyValues.get.bind(box.shared.keyValues);
    t.mock.method(box.shared.keyValues, 'get', async (kind: string, key: string) => {
      if (kind === 'mcp-session') {
        queried.resolve();
        await answered.promise;
      }
      return await get(kind, key);
    });
    const disconnect = new AbortController();
    const listening = fetch(other, { headers: { ...authorized, ...session }, signal: disconnect.signal });
    await queried.promise;
    disconnect.abort();
    await assert.rejects(listening);
    // When this is answered, the server has noticed that the connection was closed.
    await clients();
    answered.resolve();
    await until(async () => (await clients()).length > 0, 'the session is loaded');
    assert.deepEqual(
      (await clients()).map(({ inUse }) => inUse),
      [false],
    );
  });

  test('is unavailable with status 503, not unknown, while the store fails', async (t) => {
    const { box, one, other } = await twoServers(t, {});
    const session = await begin(one);
    t.mock.method(box.shared.keyValues, 'get', () => Promise.reject(new Error('unavailable')));
    assert.equal((await send(other, request(1, 'ping'), session)).status, 503);
    assert.equal(
      (await send(one, request(1, 'ping'), session)).status,
      200,
      'a process that holds it does not query the store',
    );
    t.mock.restoreAll();
    assert.equal((await send(other, request(1, 'ping'), session)).status, 200);
  });
});
