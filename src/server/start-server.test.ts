import { openSignalbox } from '../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { Agent, get as getHttp } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, describe, it } from 'node:test';
import { until } from '../../test/mcp-servers/boxed.ts';
import { type TestServer, adminToken, bodyOf, startTestServer } from '../../test/support/http/http-server.ts';
import { secondClient } from '../../test/mcp-clients/clients.ts';
import { token as clientToken } from '../../test/mcp-clients/serving.ts';
import { within } from '../../test/support/within.ts';
import { defineTool, localServer } from '../index.ts';
import type { ServerLimits } from './server-options.ts';
import { createPrometheusMetrics } from './metrics/prometheus-metrics.ts';
import { startServer } from './start-server.ts';

describe('port of the server', () => {
  it('is the next free one when the requested port is in use', async (test) => {
    const first = await startTestServer(test);
    const second = await startTestServer(test, { port: first.server.port });
    assert.ok(second.server.port > first.server.port);
    assert.ok(second.server.port <= first.server.port + 20);
    assert.equal(second.server.url, `http://127.0.0.1:${second.server.port}`);
    assert.equal((await second.get('/api/info')).status, 200);
  });

  it('is not searched for after other errors than a used port', async (test) => {
    const { box } = await startTestServer(test);
    await assert.rejects(startServer({ box, host: '203.0.113.7', port: 4242, token: adminToken }), {
      code: 'EADDRNOTAVAIL',
    });
  });
});

describe('connections', () => {
  it('announce a keep-alive timeout above 60 s, on both HTTP paths', async (test) => {
    const { server } = await startTestServer(test);
    const ping = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };
    for (const [path, request] of [
      ['/mcp', ping],
      ['/api/health', {}],
    ] as const) {
      const response = await fetch(`${server.url}${path}`, request);
      await response.text();
      const [, seconds] = /^timeout=(\d+)$/.exec(response.headers.get('keep-alive') ?? '') ?? [];
      assert.ok(Number(seconds) > 60, `${path}: ${seconds}`);
    }
  });
});

/** Starts a server with a tool that runs until it is released. */
async function startHolding(
  test: TestContext,
  limits: ServerLimits,
  token = adminToken,
): Promise<TestServer & HeldCall> {
  const [running, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const hold = defineTool({
    name: 'hold',
    description: 'Runs until it is released.',
    effect: 'read',
    run: async (_args, { signal }) => {
      running.resolve();
      await Promise.race([released.promise, once(signal, 'abort')]);
      return 'held';
    },
  });
  const act = defineTool({ name: 'act', description: 'Acts.', effect: 'irreversible', run: () => 'acted' });
  const metrics = createPrometheusMetrics();
  const box = await openSignalbox({
    servers: [localServer({ name: 'test', tools: [hold, act] })],
    metrics: metrics.metrics,
  });
  const started = await startTestServer(test, { box, limits, metrics, token });
  return { ...started, running: running.promise, release: released.resolve };
}

interface HeldCall {
  readonly running: Promise<void>;
  release(): void;
}

const noEndMs = 600_000;
const jsonHeaders = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };

describe('stop of the server', () => {
  it('lets a running call end, and accepts no new connection', async (test) => {
    const { server, call, running, release } = await startHolding(test, { graceMs: noEndMs });
    const slow = call('hold');
    await within(running, 'the call');
    const closed = server.close();
    // Connections that are already open are still served.
    const refusesConnections = (): Promise<boolean> =>
      fetch(`${server.url}/api/health`).then(
        async (response) => (await response.text()) === '',
        () => true,
      );
    await until(refusesConnections, 'new connections are refused');
    release();
    const response = await within(slow, 'the response');
    assert.equal(response.status, 200);
    assert.equal((await bodyOf(response)).outcome, 'completed');
    await within(closed, 'the end, without another request on the connection');
  });

  it('serves every client that connected before the stop', async (test) => {
    const { server } = await startTestServer(test, { limits: { graceMs: noEndMs } });
    await (await fetch(`${server.url}/api/health/live`)).text();
    const count = 100;
    const request = `GET /api/health/live HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n\r\n`;
    const sockets = Array.from({ length: count }, () => connect(server.port, '127.0.0.1'));
    const responses = sockets.map((socket) => text(socket.end(request)));
    // At the end of this tick, the kernel has accepted all of them and this process none.
    await new Promise((resolve) => process.nextTick(resolve));
    const closed = server.close();
    for (const response of await within(Promise.all(responses), 'all responses'))
      assert.match(response, /^HTTP\/1\.1 200 OK/);
    await within(closed, 'the end');
  });

  it('does not wait for idle keep-alive connections', async (test) => {
    const { server } = await startTestServer(test, { limits: { graceMs: noEndMs } });
    const agent = new Agent({ keepAlive: true });
    test.after(() => agent.destroy());
    const [response] = (await once(getHttp(`${server.url}/api/health`, { agent }), 'response')) as [
      import('node:http').IncomingMessage,
    ];
    await text(response);
    await within(server.close(), 'the end');
  });

  it('ends running calls after the grace period, answers their callers, and records that Signalbox ended them', async (test) => {
    const { server, box, call, get, running } = await startHolding(test, { graceMs: 300 });
    const slow = call('hold');
    const streamed = call('hold', {}, { headers: { ...jsonHeaders, accept: 'text/event-stream' } });
    await within(running, 'the call');
    const areRunning = async (): Promise<boolean> =>
      /^signalbox_calls_in_flight 2$/m.test(await (await get('/metrics')).text());
    await until(areRunning, 'both calls run');
    const closed = server.close();
    assert.equal((await bodyOf(slow)).error?.code, 'box-closed');
    assert.match(await (await streamed).text(), /event: result\ndata: .*"code":"box-closed"/);
    await within(closed, 'the end');
    for (const entry of (await box.journal.calls()).items) {
      assert.ok(entry.type === 'ToolInvoked' && entry.outcome === 'cancelled' && entry.error?.code === 'box-closed');
      assert.match(entry.error.message, /cancelled while it ran, because Signalbox is closing$/);
    }
  });

  for (const era of ['legacy', 'modern'] as const)
    it(`answers MCP clients whose calls wait for approval or run (${era})`, async (test) => {
      const { server, box, running } = await startHolding(test, { graceMs: 500 }, clientToken);
      const client = await secondClient(test, new URL('/mcp', server.url), era);
      const held = client.callTool({ name: 'mcp__test__hold', arguments: {} });
      const asked = client.callTool({ name: 'mcp__test__act', arguments: {} });
      await within(running, 'the call');
      await until(async () => (await box.approvals.list()).length === 1, 'the other call waits for approval');
      const closed = server.close();
      const results = await within(Promise.all([held, asked]), 'the responses');
      const texts = results.map(({ content }) => JSON.stringify(content));
      assert.match(texts[0] ?? '', /cancelled while it ran, because Signalbox is closing/);
      assert.match(texts[1] ?? '', /waits for a human's approval .* was not run yet/);
      await within(closed, 'the end');
      const { items } = await box.journal.calls({ order: 'oldest-first' });
      assert.deepEqual(new Set(items.map(outcomeOf)), new Set(['awaiting-approval', 'cancelled']));
    });

  it('leaves the box open, and can be requested twice', async (test) => {
    const { server, box } = await startTestServer(test);
    await Promise.all([server.close(), server.close()]);
    assert.equal((await box.call('mcp__test__echo', { text: 'still open' })).outcome, 'completed');
  });
});

describe('clients that send slowly', () => {
  it('time out while sending headers', async (test) => {
    const { server } = await startTestServer(test, { limits: { headersMs: 100, requestMs: 200 } });
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    assert.match(await text(socket), /^HTTP\/1.1 408 /);
  });

  it('time out while sending a body', async (test) => {
    const { server } = await startTestServer(test, { limits: { headersMs: 100, requestMs: 200 } });
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      `POST /api/tools/mcp__test__echo/call HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${adminToken}\r\n`,
    );
    socket.write('Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{');
    assert.match(await text(socket), /^HTTP\/1.1 4\d\d /);
  });
});

function outcomeOf(entry: object | undefined): unknown {
  return entry !== undefined && 'outcome' in entry ? entry.outcome : undefined;
}
