import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, describe, test } from 'node:test';
import { mcpServer } from '../../../index.ts';

/** Returns the reason why a server at this URL is down. */
async function reasonAt(t: TestContext, url: string, type: 'http' | 'sse' = 'http'): Promise<string> {
  const server = mcpServer({ name: 'web', transport: { type, url } });
  t.after(() => server.close());
  await server.ready();
  return server.health().lastError ?? '';
}

/** Starts a server that answers every request with this response. Returns its port. */
async function serverWith(t: TestContext, status: number, body: string): Promise<number> {
  const server = createServer((_request, response) => void response.writeHead(status).end(body)).listen(0, '127.0.0.1');
  t.after(() => server.close().closeAllConnections());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('the reason why an HTTP server is down', () => {
  const advice: Readonly<Record<number, string>> = {
    401: 'set "auth" or "headers" to credentials that it accepts',
    404: 'check that its url is the endpoint of an MCP server',
    503: 'try again, or ask its operator',
  };
  for (const type of ['http', 'sse'] as const)
    for (const [status, nextStep] of Object.entries(advice))
      test(`names the origin, HTTP ${status} and the next step (${type})`, async (t) => {
        const port = await serverWith(t, Number(status), '<html>a page</html>');
        const reason = await reasonAt(t, `http://user:planted@127.0.0.1:${port}/mcp?key=planted`, type);
        assert.equal(reason, `http://127.0.0.1:${port} answered with HTTP ${status}; ${nextStep}`);
      });

  test('says that nothing listens at the URL', async (t) => {
    const expected = 'http://127.0.0.1:1 could not be connected to (ECONNREFUSED): nothing listens there';
    for (const type of ['http', 'sse'] as const)
      assert.match(
        await reasonAt(t, 'http://user:planted@127.0.0.1:1/mcp', type),
        new RegExp(`^${expected.replaceAll(/[.()]/g, '\\$&')}`),
      );
  });

  test('quotes the text of the response', async (t) => {
    const port = await serverWith(t, 500, 'the database\nis gone');
    assert.match(
      await reasonAt(t, `http://127.0.0.1:${port}/mcp`),
      /answered with HTTP 500: the database is gone; try/,
    );
  });
});

test('the reason why a program that does not speak MCP is down says so', async (t) => {
  const transport = { type: 'stdio', command: 'sleep', args: ['7654'] } as const;
  const server = mcpServer({ name: 'mute', transport, connectTimeoutMs: 200 });
  t.after(() => server.close());
  await server.ready();
  assert.match(
    server.health().lastError ?? '',
    /"sleep" runs, but did not respond within 0.2 s; check that it speaks MCP/,
  );
});
