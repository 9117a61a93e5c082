import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../../../test/mcp-servers/boxed.ts';
import { httpFixture } from '../../../../test/mcp-servers/http-fixture.ts';
import { modernVersion } from '../../../core/mcp-protocol.ts';
import { type McpTransport, type CachedProtocolVersion, type ProtocolVersionCache, mcpServer } from '../../../index.ts';
import { freshDiscovery, createMemoryProtocolVersionCache } from './protocol-version-cache.ts';

const discovered = { supportedVersions: [modernVersion], capabilities: { tools: {} }, resultType: 'complete' };
const initializeResult = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'slow', version: '1' },
};

/** A program that sends nothing before `initialize` arrives, and then these responses in order. */
function slowProgram(...answers: readonly (readonly [method: string, answer: object])[]): McpTransport {
  const program = `
const answers = ${JSON.stringify(answers)};
const ids = {};
const send = (id, answer) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  console.error(method);
  ids[method] = id;
  if (method === 'initialize') for (const [request, answer] of answers) send(ids[request], answer);
  if (method === 'tools/list') send(id, { result: { tools: [], ...(params?._meta && { resultType: 'complete' }) } });
});`;
  return { type: 'stdio', command: process.execPath, args: ['-e', program] };
}

/** A protocol version cache that exposes the last stored version. */
function watchedCache(): ProtocolVersionCache & { last?: CachedProtocolVersion | undefined } {
  const cache = createMemoryProtocolVersionCache();
  const watched: ProtocolVersionCache & { last?: CachedProtocolVersion | undefined } = {
    get: (key) => cache.get(key),
    set(key, version) {
      watched.last = version;
      return cache.set(key, version);
    },
  };
  return watched;
}

describe('a server that does not answer the probe in time', { concurrency: true }, () => {
  test('uses the 2026 revision when it is a program that starts slowly', async (t) => {
    const protocolVersions = watchedCache();
    const transport = slowProgram(
      ['server/discover', { result: discovered }],
      ['initialize', { error: { code: -32_601, message: 'no such method' } }],
    );
    const server = mcpServer({ name: 'slow', transport, protocolVersions });
    t.after(() => server.close());
    await server.ready();
    const { state, protocolVersion, lastError } = server.health();
    assert.deepEqual([state, protocolVersion, protocolVersions.last?.kind], ['up', modernVersion, 'modern'], lastError);
  });

  test('uses the older revision when it is a program of both eras, and the newer on the next connection', async (t) => {
    const protocolVersions = watchedCache();
    const transport = slowProgram(
      ['server/discover', { result: discovered }],
      ['initialize', { result: initializeResult }],
    );
    const server = mcpServer({ name: 'slow', transport, protocolVersions });
    t.after(() => server.close());
    await server.ready();
    assert.equal(server.health().protocolVersion, '2025-06-18', server.health().lastError);
    assert.equal(protocolVersions.last?.kind, 'modern');
    await server.restart();
    assert.equal(server.health().protocolVersion, modernVersion, server.health().lastError);
  });

  test('uses the older revision when it is a program that ignores the probe; the cached version expires after an hour', async (t) => {
    const protocolVersions = watchedCache();
    const transport = slowProgram(['initialize', { result: initializeResult }]);
    const server = mcpServer({ name: 'slow', transport, protocolVersions });
    t.after(() => server.close());
    await server.ready();
    assert.equal(server.health().protocolVersion, '2025-06-18', server.health().lastError);
    const { last } = protocolVersions;
    assert.equal(last?.isGuess, true);
    const hoursAgo = Date.now() - 2 * 60 * 60 * 1000;
    assert.deepEqual(freshDiscovery(last), { kind: 'legacy' });
    assert.equal(freshDiscovery({ kind: 'legacy', at: hoursAgo, isGuess: true }), undefined);
    assert.deepEqual(freshDiscovery({ kind: 'legacy', at: hoursAgo }), { kind: 'legacy' });
  });

  test('uses the older revision when it is a program that answers the probe late with an error; the version is certain', async (t) => {
    const protocolVersions = watchedCache();
    const transport = slowProgram(
      ['server/discover', { error: { code: -32_601, message: 'no such method' } }],
      ['initialize', { result: initializeResult }],
    );
    const server = mcpServer({ name: 'slow', transport, protocolVersions });
    t.after(() => server.close());
    await server.ready();
    assert.equal(server.health().protocolVersion, '2025-06-18', server.health().lastError);
    assert.deepEqual([protocolVersions.last?.kind, protocolVersions.last?.isGuess], ['legacy', undefined]);
  });

  // Over HTTP the older handshake starts after a third of the connection timeout.
  const connectTimeoutMs = 15_000;

  test('uses the 2026 revision when it is an HTTP server that answers late', async (t) => {
    const initialized = Promise.withResolvers<void>();
    const fixture = await httpFixture('modern', 0, async (request) => {
      const body = await request.clone().text();
      if (body.includes('"server/discover"')) await initialized.promise;
      if (!body.includes('"initialize"')) return undefined;
      initialized.resolve();
      return await new Promise<never>(() => undefined);
    });
    t.after(() => fixture.close());
    const protocolVersions = watchedCache();
    const transport = { type: 'http', url: fixture.url } as const;
    const server = mcpServer({ name: 'slow', transport, protocolVersions, connectTimeoutMs });
    t.after(() => server.close());
    await until(() => server.health().state === 'up', 'the server is up');
    assert.deepEqual([server.health().protocolVersion, protocolVersions.last?.kind], [modernVersion, 'modern']);
  });

  test('uses the older revision when it is an HTTP server that ignores the probe, which is cancelled', async (t) => {
    const ended = Promise.withResolvers<void>();
    const fixture = await httpFixture('legacy', 0, async (request) => {
      if (!(await request.clone().text()).includes('"server/discover"')) return undefined;
      request.signal.addEventListener('abort', () => ended.resolve());
      return await new Promise<never>(() => undefined);
    });
    t.after(() => fixture.close());
    const protocolVersions = watchedCache();
    const transport = { type: 'http', url: fixture.url } as const;
    const server = mcpServer({ name: 'slow', transport, protocolVersions, connectTimeoutMs });
    t.after(() => server.close());
    await until(() => server.health().state === 'up', 'the server is up');
    assert.deepEqual([server.health().protocolVersion, protocolVersions.last?.isGuess], ['2025-11-25', true]);
    await ended.promise;
  });
});
