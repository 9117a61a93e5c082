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

async function answering(t: TestContext, status: number, body: string): Promise<number> {
  const server = createServer((_request, response) => void response.writeHead(status).end(body)).listen(0, '127.0.0.1');
  t.after(() => server.close().closeAllConnections());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('why a server on the network is down: what was tried, what came of it, what to do', () => {
  const next: Readonly<Record<number, string>> = {
    401: 'set "auth" or "headers" to what it lets in',
    404: 'see whether its url is that of an MCP server',
    503: 'try again, or ask its operator',
  };
  for (const type of ['http', 'sse'] as const)
    for (const [status, what] of Object.entries(next))
      test(`HTTP ${status} over ${type}`, async (t) => {
        const port = await answering(t, Number(status), '<html>a page</html>');
        const reason = await reasonAt(t, `http://user:planted@127.0.0.1:${port}/mcp?key=planted`, type);
        assert.equal(reason, `http://127.0.0.1:${port} answered with HTTP ${status}; ${what}`);
      });

  test('nothing listens', async (t) => {
    const expected = 'http://127.0.0.1:1 could not be connected to (ECONNREFUSED): nothing listens there';
    for (const type of ['http', 'sse'] as const)
      assert.match(
        await reasonAt(t, 'http://user:planted@127.0.0.1:1/mcp', type),
        new RegExp(`^${expected.replaceAll(/[.()]/g, '\\$&')}`),
      );
  });

  test('what the answer says is told', async (t) => {
    const port = await answering(t, 500, 'the database\nis gone');
    assert.match(
      await reasonAt(t, `http://127.0.0.1:${port}/mcp`),
      /answered with HTTP 500: the database is gone; try/,
    );
  });
});

test('a program that does not speak MCP is told as such', async (t) => {
  const transport = { type: 'stdio', command: 'sleep', args: ['7654'] } as const;
  const server = mcpServer({ name: 'mute', transport, connectTimeoutMs: 200 });
  t.after(() => server.close());
  await server.ready();
  assert.match(server.health().lastError ?? '', /"sleep" runs, but did not answer within 0.2 s; see whether/);
});
