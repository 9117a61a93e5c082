import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { boxed, until } from '../../../../test/mcp-servers/boxed.ts';
import { httpFixture } from '../../../../test/mcp-servers/http-fixture.ts';
import { referenceServer } from '../../../../test/mcp-servers/programs.ts';
import { freePort } from '../../../../test/support/http/free-port.ts';
import { mcpServer } from '../../../index.ts';

for (const era of ['legacy', 'modern'] as const) {
  describe(`an HTTP server (${era})`, () => {
    test('runs calls, and receives the configured headers', async (t) => {
      const fixture = await httpFixture(era);
      t.after(() => fixture.close());
      const { box, server } = await boxed(t, {
        transport: { type: 'http', url: fixture.url, headers: { 'x-team': 'signals' } },
      });
      assert.equal(server.health().state, 'up', server.health().lastError);
      assert.equal(server.health().protocolVersion, era === 'legacy' ? '2025-11-25' : '2026-07-28');
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => box.call('mcp__fixture__echo', { text: `hello ${index}` })),
      );
      assert.deepEqual(
        results.map(({ outcome, content }) => [outcome, content[0]?.type === 'text' && content[0].text]),
        results.map((_, index) => ['completed', `hello ${index}`]),
      );
      assert.ok(fixture.requests.every((headers) => headers.get('x-team') === 'signals'));
    });

    test('updates the catalog when its tools change', async (t) => {
      const fixture = await httpFixture(era);
      t.after(() => fixture.close());
      const { box } = await boxed(t, { transport: { type: 'http', url: fixture.url } });
      await until(() => fixture.isSubscribed(), 'the event stream is open');
      await box.call('mcp__fixture__grow', { name: 'newcomer' });
      if (era === 'modern') fixture.toolsChanged();
      await until(() => box.tools().some((tool) => tool.id.tool === 'newcomer'), 'the new tool is listed');
    });

    // A fault of the TypeScript SDK that does not reach us: #2739, the call hangs to its full timeout.
    test('loses a response stream: the read is repeated at once, the outcome of the effect is unknown', async (t) => {
      const fixture = await httpFixture(era);
      t.after(() => fixture.close());
      const { box } = await boxed(t, { transport: { type: 'http', url: fixture.url } });
      const read = box.call('mcp__fixture__wait', { ms: 1000 });
      const effect = box.call('mcp__fixture__act', { file: '/dev/null', line: 'x', ms: 50_000 });
      await wait(300);
      fixture.breakConnections();
      assert.equal((await effect).outcome, 'unknown');
      assert.equal((await read).outcome, 'completed');
      assert.equal((await box.call('mcp__fixture__echo', { text: 'on' })).outcome, 'completed');
    });

    test('is down while it is gone, and up again after it returned', async (t) => {
      const fixture = await httpFixture(era);
      const { port } = new URL(fixture.url);
      const { box, server } = await boxed(t, { transport: { type: 'http', url: fixture.url } });
      await fixture.close();
      await wait(50); // until the pool has detected its closed connections
      const result = await box.call('mcp__fixture__act', { file: '/dev/null', line: 'x' });
      assert.deepEqual([result.outcome, result.error?.code], ['failed', 'server-down'], JSON.stringify(result));
      await until(() => box.catalog().servers[1]?.status === 'down', 'the server is down');
      const restarted = await httpFixture(era, Number(port));
      t.after(() => restarted.close());
      await server.restart();
      assert.equal((await box.call('mcp__fixture__echo', { text: 'back' })).outcome, 'completed');
    });

    test('ends a cancelled call, and runs others', async (t) => {
      const fixture = await httpFixture(era);
      t.after(() => fixture.close());
      const { box } = await boxed(t, { transport: { type: 'http', url: fixture.url } });
      const cancellation = new AbortController();
      const calling = box.call('mcp__fixture__wait', { ms: 30_000 }, { signal: cancellation.signal });
      await wait(200);
      cancellation.abort();
      assert.equal((await calling).outcome, 'cancelled');
      assert.equal((await box.call('mcp__fixture__echo', { text: 'on' })).outcome, 'completed');
    });
  });
}

// A fault of the TypeScript SDK that does not reach us: #1708, the 404 of a session is not answered by a new one.
test('a session that the server has forgotten is replaced: the call succeeds, and the catalog stays', async (t) => {
  const fixture = await httpFixture('legacy');
  t.after(() => fixture.close());
  const { box, server } = await boxed(t, { transport: { type: 'http', url: fixture.url } });
  const before = server.state().tools;
  fixture.forgetSessions();
  const result = await box.call('mcp__fixture__act', { file: '/dev/null', line: 'x' });
  assert.equal(result.outcome, 'completed', JSON.stringify(result));
  assert.equal(server.state().tools, before);
  assert.equal(server.health().restarts, 1);
});

// A fault of the TypeScript SDK that does not reach us: #2098, it gives up after two attempts.
test('a broken stream of changes is opened again, however often that fails', { timeout: 300_000 }, async (t) => {
  const fixture = await httpFixture('legacy');
  t.after(() => fixture.close());
  const { box, server } = await boxed(t, { transport: { type: 'http', url: fixture.url } });
  await until(() => fixture.isSubscribed(), 'the event stream is open');
  const before = fixture.requests.length;
  fixture.refuseEventStreams(3);
  fixture.breakConnections();
  const openings = (): number =>
    fixture.requests.slice(before).filter((each) => each.get('content-type') === null).length;
  await until(() => openings() >= 4, 'the event stream is open again', 40_000);
  await box.call('mcp__fixture__grow', { name: 'newcomer' });
  await until(() => box.tools().some((tool) => tool.id.tool === 'newcomer'), 'the new tool is listed');
  assert.equal(server.health().restarts, 0);
});

// A fault of the TypeScript SDK that does not reach us: #2619, an odd answer to the probe fails the connection.
for (const [response, answer] of [
  ['an empty 202', () => new Response(null, { status: 202 })],
  ['an empty 204', () => new Response(null, { status: 204 })],
  ['a web page', () => new Response('<p>Welcome</p>', { headers: { 'content-type': 'text/html' } })],
  ['JSON that is not a response', () => Response.json({ ok: true })],
] as const) {
  test(`a server that answers the probe with ${response} gets the older handshake`, async (t) => {
    let probes = 0;
    const fixture = await httpFixture('legacy', 0, async (request) => {
      if (request.method !== 'POST' || !(await request.clone().text()).includes('server/discover')) return undefined;
      probes += 1;
      return answer();
    });
    t.after(() => fixture.close());
    const { box, server } = await boxed(t, { transport: { type: 'http', url: fixture.url } });
    assert.equal(server.health().protocolVersion, '2025-11-25', server.health().lastError);
    assert.equal((await box.call('mcp__fixture__echo', { text: 'on' })).outcome, 'completed');
    assert.equal(probes, 1);
  });
}

test('server-everything works over HTTP+SSE and over streamable HTTP', { timeout: 300_000 }, async (t) => {
  for (const [mode, type, path] of [
    ['sse', 'sse', 'sse'],
    ['streamableHttp', 'http', 'mcp'],
  ] as const) {
    const port = await freePort();
    const { command, args = [] } = referenceServer('everything', [mode]);
    const child = spawn(command, args, { env: { ...process.env, PORT: String(port) }, stdio: 'ignore' });
    t.after(() => child.kill());
    const { box, server } = await boxed(t, {
      name: `everything-${type}`,
      transport: { type, url: `http://127.0.0.1:${port}/${path}` },
    } as Parameters<typeof boxed>[1]);
    await until(() => server.health().state === 'up', `${mode} is up: ${server.health().lastError}`, 20_000);
    const result = await box.call(`mcp__everything-${type}__echo`, { message: 'over the network' });
    assert.match(JSON.stringify(result.content), /over the network/);
    const broken = box.call(`mcp__everything-${type}__trigger-long-running-operation`, { duration: 30, steps: 2 });
    await wait(200);
    child.kill('SIGKILL');
    assert.equal((await broken).outcome, 'failed');
  }
});

test('a redirect to another origin is not followed', async (t) => {
  const secret = await serving(t, (_, response) => response.end('{"secret":true}'));
  let requests = 0;
  secret.server.on('request', () => (requests += 1));
  const redirecting = await serving(t, (_, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${secret.port}/` }).end(),
  );
  const server = mcpServer({
    name: 'redirecting',
    transport: { type: 'http', url: `http://127.0.0.1:${redirecting.port}/mcp` },
  });
  t.after(() => server.close());
  await server.ready();
  assert.notEqual(server.health().state, 'up');
  assert.match(server.health().lastError ?? '', /Redirect to .* not followed/);
  assert.equal(requests, 0);
});

async function serving(
  t: TestContext,
  listener: Parameters<typeof createServer>[1] & {},
): Promise<{ server: Server; port: number }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { server, port: (server.address() as AddressInfo).port };
}
