import assert from 'node:assert/strict';
import { type TestContext, describe, test } from 'node:test';
import * as sdk from '@modelcontextprotocol/client';
import { metaKeys, modernVersion } from '../../../core/mcp-protocol.ts';
import { type McpServer, mcpServer } from '../mcp-server.ts';
import { createMemoryProtocolVersionCache } from '../connection/protocol-version-cache.ts';

/** A server with a scripted result or error for each method. It exits on a method without a script, and reports all requests. */
function scripted(t: TestContext, answers: Readonly<Record<string, object>>, more = ''): McpServer {
  const program = `
const answers = ${JSON.stringify(answers)};
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, ...rest } = JSON.parse(line);
  console.error(method ?? 'reply ' + JSON.stringify({ id, ...rest }));
  ${more}
  if (id === undefined || method === undefined) return;
  if (method in answers) send({ id, ...answers[method] }); else process.exit(3);
});`;
  const server = mcpServer({
    name: 'scripted',
    transport: { type: 'stdio', command: process.execPath, args: ['-e', program] },
    protocolVersions: createMemoryProtocolVersionCache(),
  });
  t.after(() => server.close());
  return server;
}

const unknownMethod = { error: { code: -32_601, message: 'no such method' } };
const initializeResult = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'old', version: '1' },
};
const tools = { tools: [{ name: 'look', inputSchema: { type: 'object' } }] };
/** Returns the requests that the server received. Its report may arrive shortly after its response. */
async function receivedBy(server: McpServer): Promise<readonly string[]> {
  while (server.health().stderr.at(-1) !== 'tools/list') await new Promise(setImmediate);
  return server.health().stderr;
}

const names = (server: McpServer): string[] => server.state().tools.map(({ tool }) => tool);

describe('initializeProcess', () => {
  test('uses the 2026 revision with a program that answers the probe, without another handshake', async (t) => {
    const discovered = { supportedVersions: [modernVersion], capabilities: { tools: {} }, instructions: 'look first' };
    const server = scripted(t, {
      'server/discover': { result: { ...discovered, resultType: 'complete' } },
      'tools/list': { result: { ...tools, resultType: 'complete' } },
    });
    await server.ready();
    const { state, protocolVersion, instructions } = server.health();
    assert.deepEqual([state, protocolVersion, instructions], ['up', modernVersion, 'look first']);
    assert.deepEqual([names(server), await receivedBy(server)], [['look'], ['server/discover', 'tools/list']]);
  });

  for (const [reaction, answer] of Object.entries({
    'does not know the probe': unknownMethod,
    'answers the probe with something else': { result: { tools: [] } },
    'supports only later versions': { result: { supportedVersions: ['2031-01-01'], capabilities: {} } },
    'rejects the version and names older ones': {
      error: { code: -32_022, message: 'no', data: { supported: ['2025-06-18'] } },
    },
  }))
    test(`uses the older handshake, without a restart, with a program that ${reaction}`, async (t) => {
      const server = scripted(t, {
        'server/discover': answer,
        initialize: { result: initializeResult },
        'tools/list': { result: tools },
      });
      await server.ready();
      const { state, protocolVersion, serverInfo } = server.health();
      assert.deepEqual([state, protocolVersion, serverInfo?.['name']], ['up', '2025-06-18', 'old']);
      const requests = ['server/discover', 'initialize', 'notifications/initialized', 'tools/list'];
      assert.deepEqual(await receivedBy(server), requests);
    });

  test('restarts a program without a probe when it exits on the probe, or rejects the handshake after it', async (t) => {
    const unprobed = scripted(t, { initialize: { result: initializeResult }, 'tools/list': { result: tools } });
    const confused = scripted(
      t,
      { 'server/discover': unknownMethod, initialize: { result: initializeResult }, 'tools/list': { result: tools } },
      `if (method === 'server/discover') answers.initialize = { error: { code: -32600, message: 'too late' } };`,
    );
    await Promise.all([unprobed.ready(), confused.ready()]);
    assert.deepEqual([unprobed.health().state, confused.health().state], ['up', 'up']);
    const initialized = ['initialize', 'notifications/initialized', 'tools/list'];
    assert.deepEqual(await receivedBy(unprobed), ['server/discover', ...initialized]);
    assert.deepEqual(await receivedBy(confused), ['server/discover', 'initialize', ...initialized]);
  });

  test('fails with the reason when the version is not supported, or capabilities are missing', async (t) => {
    const strange = { result: { ...initializeResult, protocolVersion: '1999-01-01' } };
    const anonymous = { result: { protocolVersion: '2025-06-18', capabilities: {} } };
    const servers = [strange, anonymous].map((initialize) =>
      scripted(t, { 'server/discover': unknownMethod, initialize }),
    );
    await Promise.all(servers.map((server) => server.ready()));
    const [unsupported, incomplete] = servers.map((server) => server.health().lastError ?? '');
    assert.match(unsupported ?? '', /answered with protocol version "1999-01-01"/);
    assert.match(incomplete ?? '', /has no capabilities or no server info/);
  });
});

test('requests of a program get a response: a result for `ping`, an error for unknown methods', async (t) => {
  const server = scripted(
    t,
    { 'server/discover': unknownMethod, initialize: { result: initializeResult }, 'tools/list': { result: tools } },
    `if (method === 'tools/list') { send({ id: 'p', method: 'ping' }); send({ id: 'q', method: 'un/known' }); }`,
  );
  await server.ready();
  while (!server.health().stderr.some((line) => line.includes('"q"'))) await new Promise(setImmediate);
  const replies = server.health().stderr.filter((line) => line.startsWith('reply'));
  assert.deepEqual(replies, [
    'reply {"id":"p","jsonrpc":"2.0","result":{}}',
    'reply {"id":"q","jsonrpc":"2.0","error":{"code":-32601,"message":"there is no method un/known"}}',
  ]);
});

test('the `_meta` keys are those of the SDK', () => {
  assert.deepEqual(metaKeys, {
    protocolVersion: sdk.PROTOCOL_VERSION_META_KEY,
    clientInfo: sdk.CLIENT_INFO_META_KEY,
    clientCapabilities: sdk.CLIENT_CAPABILITIES_META_KEY,
    logLevel: sdk.LOG_LEVEL_META_KEY,
    serverInfo: sdk.SERVER_INFO_META_KEY,
    subscriptionId: sdk.SUBSCRIPTION_ID_META_KEY,
  });
});
