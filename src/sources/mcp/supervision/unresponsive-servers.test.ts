import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { until } from '../../../../test/mcp-servers/boxed.ts';
import { fixtureProgram } from '../../../../test/mcp-servers/programs.ts';
import { markedProcesses } from '../../../../test/support/marked-processes.ts';
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
  else if (method === 'tools/list') console.error('asked for its tools');
});`;

const running = (): number => markedProcesses(mark);

// If the attempt were not cancelled, these would take two minutes.
describe(
  'a server that never answers',
  { timeout: 30_000, skip: process.platform !== 'linux' && 'it looks into /proc' },
  () => {
    test('is unmounted at once, and its process is gone', async () => {
      const server = mcpServer({ name: 'hang', transport: sleeping });
      const box = await createSignalbox({ servers: [server] });
      await until(() => running() === 1, 'it runs');
      await box.servers.remove('hang');
      assert.equal(running(), 0);
      await box.close();
    });

    test('does not keep the box from closing, and is not started anew for another handshake', async () => {
      const server = mcpServer({ name: 'hang', transport: sleeping });
      const box = await createSignalbox({ servers: [server] });
      await until(() => running() === 1, 'it runs');
      await box.close();
      await server.ready();
      assert.deepEqual([running(), server.health().state], [0, 'stopped']);
    });

    test('is closed before its process was even started', async () => {
      const server = mcpServer({ name: 'hang', transport: sleeping });
      await server.close();
      assert.equal(running(), 0);
    });

    test('can be restarted as something better, however often that is asked for', async (t) => {
      let transport = sleeping;
      const server = mcpServer({ name: 'hang', transport: () => transport });
      t.after(() => server.close());
      await until(() => running() === 1, 'it runs');
      transport = fixtureProgram();
      await Promise.all([server.restart(), server.restart()]);
      assert.deepEqual([running(), server.health().state], [0, 'up']);
    });

    test('is closed while it is asked for its tools', async () => {
      const transport: McpTransport = { type: 'stdio', command: process.execPath, args: ['-e', handshakeOnly, mark] };
      const server = mcpServer({ name: 'mute', transport });
      await until(() => server.health().stderr.includes('asked for its tools'), 'it is asked');
      await server.close();
      assert.equal(running(), 0);
    });

    test('is left when it is on the network', async (t) => {
      const silent = createServer(() => undefined).listen(0, '127.0.0.1');
      t.after(() => silent.close().closeAllConnections());
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const server = mcpServer({ name: 'web', transport: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } });
      const [, response] = (await once(silent, 'request')) as [unknown, ServerResponse];
      const left = once(response, 'close');
      await server.close();
      await left;
    });
  },
);
