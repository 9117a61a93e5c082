import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { until } from '../../../../test/mcp-servers/boxed.ts';
import { fixtureProgram } from '../../../../test/mcp-servers/programs.ts';
import { countMarkedProcesses } from '../../../../test/support/processes/marked-processes.ts';
import { type McpTransport, createSignalbox, mcpServer } from '../../../index.ts';

// Unusual sleep durations distinguish our processes from all others.
const mark = `76${process.pid}`;
const sleeping: McpTransport = { type: 'stdio', command: 'sleep', args: [mark] };

/** Completes the handshake and then sends nothing. */
const handshakeOnly = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {
    protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'mute', version: '1' } } }));
  else if (method === 'server/discover')
    console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
  else if (method === 'tools/list') console.error('received tools/list');
});`;

const running = (): number => countMarkedProcesses(mark);

// Without cancellation of the attempt, these tests would take two minutes.
describe(
  'a server that never responds',
  { timeout: 30_000, skip: process.platform !== 'linux' && 'it reads /proc' },
  () => {
    test('is removed at once, and its process is stopped', async () => {
      const server = mcpServer({ name: 'hang', transport: sleeping });
      const box = await createSignalbox({ servers: [server] });
      await until(() => running() === 1, 'the process runs');
      await box.servers.remove('hang');
      assert.equal(running(), 0);
      await box.close();
    });

    test('does not delay `close` of the box, and is not started again for another handshake', async () => {
      const server = mcpServer({ name: 'hang', transport: sleeping });
      const box = await createSignalbox({ servers: [server] });
      await until(() => running() === 1, 'the process runs');
      await box.close();
      await server.ready();
      assert.deepEqual([running(), server.health().state], [0, 'stopped']);
    });

    test('is down with the reason after one connection timeout, and is started once for both handshakes', async (t) => {
      const server = mcpServer({
        name: 'hang',
        transport: { type: 'stdio', command: 'sh', args: ['-c', `echo started >&2; exec sleep ${mark}`] },
        connectTimeoutMs: 600,
      });
      t.after(() => server.close());
      await server.ready();
      const { lastError = '', stderr } = server.health();
      assert.match(lastError, /^the program "sh" runs, but did not respond within 0.6 s; check that it speaks MCP/);
      assert.deepEqual(stderr, ['started']);
    });

    test('can be closed before its process has started', async () => {
      const server = mcpServer({ name: 'hang', transport: sleeping });
      await server.close();
      assert.equal(running(), 0);
    });

    test('can be restarted with another transport, also by concurrent restarts', async (t) => {
      let transport = sleeping;
      const server = mcpServer({ name: 'hang', transport: () => transport });
      t.after(() => server.close());
      await until(() => running() === 1, 'the process runs');
      transport = fixtureProgram();
      await Promise.all([server.restart(), server.restart()]);
      assert.deepEqual([running(), server.health().state], [0, 'up']);
    });

    test('can be closed during `tools/list`', async () => {
      const transport: McpTransport = { type: 'stdio', command: process.execPath, args: ['-e', handshakeOnly, mark] };
      const server = mcpServer({ name: 'mute', transport });
      await until(() => server.health().stderr.includes('received tools/list'), 'the request has arrived');
      await server.close();
      assert.equal(running(), 0);
    });

    test('loses its connection on `close` when it is an HTTP server', async (t) => {
      const silent = createServer(() => undefined).listen(0, '127.0.0.1');
      t.after(() => silent.close().closeAllConnections());
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const server = mcpServer({ name: 'web', transport: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } });
      const [, response] = (await once(silent, 'request')) as [unknown, ServerResponse];
      const closed = once(response, 'close');
      await server.close();
      await closed;
    });
  },
);
