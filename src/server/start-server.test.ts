import assert from 'node:assert/strict';
import { Agent, get } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { adminToken, bodyOf, startTestServer } from '../../test/support/http-server.ts';
import { startServer } from './start-server.ts';

describe('the port', () => {
  it('is the next free one when the one asked for is taken', async (test) => {
    const first = await startTestServer(test);
    const second = await startTestServer(test, { port: first.server.port });
    assert.ok(second.server.port > first.server.port);
    assert.ok(second.server.port <= first.server.port + 20);
    assert.equal(second.server.url, `http://127.0.0.1:${second.server.port}`);
    assert.equal((await second.get('/api/info')).status, 200);
  });

  it('fails at once for a reason that another port would not mend', async (test) => {
    const { box } = await startTestServer(test);
    await assert.rejects(startServer({ box, host: '203.0.113.7', port: 4242, token: adminToken }), {
      code: 'EADDRNOTAVAIL',
    });
  });
});

describe('a connection', () => {
  it('is kept longer than balancers keep theirs, whichever way its requests go', async (test) => {
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

describe('stopping', () => {
  it('lets a call under way end, and takes no new one', async (test) => {
    const { server, call } = await startTestServer(test);
    const slow = call('wait', { arguments: { ms: 400 } });
    await delay(100);
    const closed = server.close();
    // Whoever has connected by now is still let in.
    await delay(20);
    await assert.rejects(fetch(`${server.url}/api/health`), 'it does not accept any more');
    const response = await slow;
    assert.equal(response.status, 200);
    assert.equal((await bodyOf(response)).outcome, 'completed');
    const answered = performance.now();
    await closed;
    assert.ok(performance.now() - answered < 1000, 'the connection was not kept alive for another request');
  });

  it('does not wait for connections that are merely kept alive', async (test) => {
    const { server } = await startTestServer(test);
    const agent = new Agent({ keepAlive: true });
    test.after(() => agent.destroy());
    const [response] = (await once(get(`${server.url}/api/health`, { agent }), 'response')) as [
      import('node:http').IncomingMessage,
    ];
    await text(response);
    const started = performance.now();
    await server.close();
    assert.ok(performance.now() - started < 1000);
  });

  it('cuts off what takes longer than the grace, and the call is cancelled on the record', async (test) => {
    const { server, box, call } = await startTestServer(test, { limits: { graceMs: 150 } });
    const slow = assert.rejects(call('wait', { arguments: { ms: 20_000 } }));
    await delay(100);
    await server.close();
    await slow;
    await delay(50);
    assert.equal(outcomeOf((await box.journal.calls()).items[0]), 'cancelled');
  });

  it('leaves the box open, and may be asked twice', async (test) => {
    const { server, box } = await startTestServer(test);
    await Promise.all([server.close(), server.close()]);
    assert.equal((await box.call('mcp__test__echo', { text: 'still here' })).outcome, 'completed');
  });
});

describe('slow senders', () => {
  it('does not wait for ever for headers', async (test) => {
    const { server } = await startTestServer(test, { limits: { headersMs: 100, requestMs: 200 } });
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ');
    assert.match(await text(socket), /^HTTP\/1.1 408 /);
  });

  it('does not wait for ever for a body', async (test) => {
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
