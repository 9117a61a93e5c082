import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { openSignalbox } from '../../../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, get } from 'node:http';
import { type TestContext, describe, test } from 'node:test';
import { Client, SSEClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { serving, token, twoServers } from '../../../../test/mcp-clients/serving.ts';
import { until } from '../../../../test/mcp-servers/boxed.ts';
import { fixtureProgram } from '../../../../test/mcp-servers/programs.ts';
import { within } from '../../../../test/support/within.ts';
import { type McpServer, defineTool, localServer, mcpServer } from '../../../index.ts';
import type { RunningServer } from '../../../server/server-options.ts';
import { startServer } from '../../../server/start-server.ts';

const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} } as const;
const authorized = { Authorization: `Bearer ${token}` };

function textOf(result: object): string {
  const [first] = (result as { content: { text: string }[] }).content;
  return first?.text ?? '';
}

interface ServedFixture {
  readonly box: InternalSignalbox;
  readonly url: URL;
  readonly server: McpServer;
  /** Resolves with the progress that a client received. */
  readonly received: PromiseWithResolvers<unknown>;
}

async function serveFixture(t: TestContext): Promise<ServedFixture> {
  const server = mcpServer({ name: 'fixture', transport: fixtureProgram('legacy') });
  const received = Promise.withResolvers<unknown>();
  const report = defineTool({
    name: 'report',
    description: 'Reports progress, and ends when the client has received it.',
    effect: 'read',
    input: { type: 'object' },
    async run(_args, { progress }) {
      progress({ progress: 1, total: 2, message: 'half of it' });
      await received.promise;
      return 'all of it';
    },
  });
  const own = localServer({ name: 'own', tools: [report] });
  const { box, url } = await serving(t, { servers: [server, own], profiles: { narrow: { tools: ['echo'] } } });
  await server.ready();
  return { box, url, server, received };
}

async function firstClient(t: TestContext, url: URL): Promise<FirstClient> {
  const client = new FirstClient({ name: 'first', version: '1.0.0' }, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { answer: 'wet' } }));
  await client.connect(new FirstTransport(url, { requestInit: { headers: authorized } }));
  t.after(() => client.close());
  return client;
}

async function secondClient(t: TestContext, url: URL): Promise<Client> {
  const client = new Client({ name: 'second', version: '1.0.0' }, { capabilities });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { answer: 'wet' } }));
  await client.connect(new SSEClientTransport(url, { requestInit: { headers: authorized } }));
  t.after(() => client.close());
  return client;
}

const clients: Readonly<Record<string, (t: TestContext, url: URL) => Promise<FirstClient | Client>>> = {
  'the first SDK': firstClient,
  'the second SDK': secondClient,
};

/** Opens a raw stream of the transport. Returns its text so far, and the address that messages are posted to. */
async function openStream(
  t: TestContext,
  url: URL,
  headers: Readonly<Record<string, string>> = authorized,
): Promise<{
  seen: () => string;
  address: URL;
  closed: Promise<unknown>;
  disconnect(): void;
  post(message: object, by?: object): Promise<Response>;
}> {
  const request = get(url, { headers: { ...headers, Accept: 'text/event-stream' } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  t.after(() => request.destroy());
  const closed = new Promise((resolve) => response.once('close', resolve));
  let seen = '';
  response.on('error', () => undefined);
  response.setEncoding('utf8').on('data', (text: string) => (seen += text));
  await until(() => seen.includes('\n\n'), 'the endpoint event');
  const [, path = ''] = /^event: endpoint\ndata: (\S+)\n\n/.exec(seen) ?? [];
  const address = new URL(path, url);
  const post = (message: object, by: object = headers): Promise<Response> =>
    fetch(address, {
      method: 'POST',
      headers: { ...by, 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  return { seen: () => seen, address, closed, disconnect: () => request.destroy(), post };
}

/** Resolves when a call of a tool starts. */
function callStarted(box: InternalSignalbox, name: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = box.on('CallStarted', ({ tool }) => {
    if (tool !== name) return;
    stop();
    resolve();
  });
  return promise;
}

const initialize = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

describe('a client of the HTTP+SSE transport', () => {
  for (const [name, connect] of Object.entries(clients))
    for (const path of ['/sse', '/mcp'])
      test(`${name}, at ${path}: lists, calls, answers questions, receives progress, and cancels`, async (t) => {
        const { box, url, server, received } = await serveFixture(t);
        const client = (await connect(t, new URL(path, url))) as Client;
        const { tools } = await client.listTools();
        assert.ok(tools.some((tool) => tool.name === 'mcp__fixture__echo'));
        const echoed = await client.callTool({ name: 'mcp__fixture__echo', arguments: { text: 'hello' } });
        assert.equal(textOf(echoed), 'hello');
        const interviewed = await client.callTool({ name: 'mcp__fixture__interview', arguments: { topic: 'rain' } });
        assert.equal(textOf(interviewed), 'rain: wet');
        const report = { name: 'mcp__own__report', arguments: {} };
        const onprogress = ({ message }: { message?: string | undefined }): void => received.resolve(message);
        if (client instanceof Client) await client.callTool(report, { onprogress });
        else await (client as FirstClient).callTool(report, undefined, { onprogress });
        assert.equal(await received.promise, 'half of it');
        const cancel = new AbortController();
        const started = callStarted(box, 'mcp__fixture__wait');
        const wait = { name: 'mcp__fixture__wait', arguments: { ms: 60_000 } };
        const { signal } = cancel;
        const call =
          client instanceof Client
            ? client.callTool(wait, { signal })
            : (client as FirstClient).callTool(wait, undefined, { signal });
        await within(started, 'the call');
        setTimeout(() => cancel.abort(), 100);
        await assert.rejects(call);
        await until(
          () => server.health().stderr.includes('the wait was cancelled'),
          'the server received the cancellation',
        );
      });

  test('uses 2024-11-05, sees only the tools of its profile, and is notified of changed tools', async (t) => {
    const { box, url } = await serveFixture(t);
    const { seen, address, post } = await openStream(t, new URL('/sse/narrow', url));
    assert.match(address.pathname, /^\/sse\/narrow$/);
    assert.equal((await post(initialize)).status, 202);
    await until(() => seen().includes('"protocolVersion":"2024-11-05"'), 'the result of initialize');
    await post({ id: 1, method: 'tools/list' });
    await until(() => seen().includes('"id":1'), 'the list');
    assert.match(seen(), /mcp__fixture__echo/);
    assert.doesNotMatch(seen(), /mcp__fixture__wait/);
    box.servers.disable('fixture');
    await until(() => seen().includes('notifications/tools/list_changed'), 'the notification');
  });

  test('gets errors for invalid messages, on the stream when the message has an id', async (t) => {
    const { url } = await serveFixture(t);
    const { seen, address, post } = await openStream(t, new URL('/sse', url));
    assert.equal((await post({ id: 1, method: 'no/such' })).status, 202);
    await until(() => /"id":1,"error":\{"code":-32601/.test(seen()), 'the error');
    const send = (body: string, to = address): Promise<Response> =>
      fetch(to, { method: 'POST', headers: { ...authorized, 'Content-Type': 'application/json' }, body });
    assert.equal((await send('{')).status, 400);
    assert.equal((await send('{"jsonrpc":"2.0"}')).status, 400);
    assert.equal((await send('{"jsonrpc":"2.0","id":1,"method":"ping"}', new URL('/sse', url))).status, 400);
    assert.equal((await fetch(new URL('/sse', url), { method: 'DELETE', headers: authorized })).status, 405);
  });

  test('is refused without a valid token, for a foreign host, and from a page of another origin', async (t) => {
    const { url } = await serveFixture(t);
    for (const [headers, status] of [
      [{}, 401],
      [{ Authorization: 'Bearer wrong' }, 401],
      [{ ...authorized, Origin: 'https://other.example' }, 403],
    ] as const)
      for (const path of ['/sse', '/mcp'])
        assert.equal(
          (await fetch(new URL(path, url), { headers: { ...headers, Accept: 'text/event-stream' } })).status,
          status,
          `${path} ${JSON.stringify(headers)}`,
        );
    const request = get(new URL('/sse', url), { headers: { ...authorized, Host: 'other.example' } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    assert.equal(response.statusCode, 421);
  });

  test('has a session that no other principal and no other transport can use', async (t) => {
    const { box, url } = await serveFixture(t);
    const other = await box.tokens.create({ role: 'agent', name: 'other', by: { id: 'test', kind: 'system' } });
    const { seen, address, post } = await openStream(t, new URL('/sse', url));
    await post(initialize);
    const call = { id: 7, method: 'tools/call', params: { name: 'mcp__fixture__echo', arguments: { text: 'mine' } } };
    assert.equal((await post(call, { Authorization: `Bearer ${other.token}` })).status, 404);
    assert.equal((await post(call, {})).status, 401);
    const id = address.searchParams.get('sessionId') ?? '';
    assert.ok(id.length > 20, 'the id cannot be guessed');
    const streamable = await fetch(url, {
      method: 'POST',
      headers: { ...authorized, 'Content-Type': 'application/json', 'Mcp-Session-Id': id },
      body: JSON.stringify({ jsonrpc: '2.0', ...call }),
    });
    assert.equal(streamable.status, 404);
    assert.equal((await post(call)).status, 202);
    await until(() => seen().includes('"id":7'), 'the answer');
    assert.equal(seen().match(/mine/g)?.length, 1, 'the other calls did not run');
  });

  test('that disconnects has its calls cancelled and its session ended', async (t) => {
    const { box, url, server } = await serveFixture(t);
    const { post, disconnect } = await openStream(t, new URL('/sse', url));
    await post(initialize);
    const started = callStarted(box, 'mcp__fixture__wait');
    const wait = { name: 'mcp__fixture__wait', arguments: { ms: 60_000 } };
    assert.equal((await post({ id: 1, method: 'tools/call', params: wait })).status, 202);
    await within(started, 'the call');
    setTimeout(disconnect, 100);
    await until(
      () => server.health().stderr.includes('the wait was cancelled'),
      'the server received the cancellation',
    );
    assert.equal((await post({ id: 2, method: 'ping' })).status, 404);
  });

  test('is served by any process that shares the store, and by none when the one with its stream is gone', async (t) => {
    const server = mcpServer({ name: 'fixture', transport: fixtureProgram('legacy') });
    const { box, one, other, endOne } = await twoServers(t, { servers: [server] });
    await server.ready();
    const { seen, address, closed } = await openStream(t, new URL('/sse', one));
    const addressAtOther = new URL(address.pathname + address.search, other);
    const send = (message: object, by: object = authorized): Promise<Response> =>
      fetch(addressAtOther, {
        method: 'POST',
        headers: { ...by, 'Content-Type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
    assert.equal((await send(initialize)).status, 202);
    const call = { id: 1, method: 'tools/call', params: { name: 'mcp__fixture__echo', arguments: { text: 'far' } } };
    assert.equal((await send(call)).status, 202);
    await until(() => /"id":1.*far/.test(seen()), 'the answer');
    const stranger = await box.tokens.create({ role: 'agent', name: 'other', by: { id: 'test', kind: 'system' } });
    assert.equal((await send(call, { Authorization: `Bearer ${stranger.token}` })).status, 404);
    await endOne();
    await within(closed, 'the end of the stream');
    assert.equal((await send(call)).status, 404);
  });

  test('gets the results of running calls when the server stops, then its stream ends', async (t) => {
    const started = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    const slow = defineTool({
      name: 'slow',
      description: 'Waits.',
      effect: 'read',
      input: { type: 'object' },
      async run() {
        started.resolve();
        await finish.promise;
        return 'done at last';
      },
    });
    const box = await openSignalbox({ servers: [localServer({ name: 'own', tools: [slow] })] });
    const running: RunningServer = await startServer({
      box,
      host: '127.0.0.1',
      port: 0,
      token,
      limits: { graceMs: 60_000 },
    });
    t.after(() => box.close());
    const [busy, idle] = [
      await openStream(t, new URL('/sse', running.url)),
      await openStream(t, new URL('/sse', running.url)),
    ];
    await busy.post(initialize);
    await busy.post({ id: 1, method: 'tools/call', params: { name: 'mcp__own__slow', arguments: {} } });
    await started.promise;
    const stopped = running.close();
    await within(idle.closed, 'the end of the idle stream');
    finish.resolve();
    await within(busy.closed, 'the end of the busy stream');
    assert.match(busy.seen(), /done at last/);
    await within(stopped, 'the end of the server');
  });
});
