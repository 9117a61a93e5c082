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

/** A program that sends nothing before `initialize` arrives, and then runs these responses in order. */
function slowProgram(...answers: readonly (readonly [method: string, answer: object])[]): McpTransport {
  const program = `
const answers = ${JSON.stringify(answers)};
const ids = {};
const say = (id, answer) => console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  console.error(method);
  ids[method] = id;
  if (method === 'initialize') for (const [asked, answer] of answers) say(ids[asked], answer);
  if (method === 'tools/list') say(id, { result: { tools: [], ...(params?._meta && { resultType: 'complete' }) } });
});`;
  return { type: 'stdio', command: process.execPath, args: ['-e', program] };
}

/** A protocol version cache that exposes the last stored version. */
function watchedVerdicts(): ProtocolVersionCache & { last?: CachedProtocolVersion | undefined } {
  const verdicts = createMemoryProtocolVersionCache();
  const watched: ProtocolVersionCache & { last?: CachedProtocolVersion | undefined } = {
    get: (key) => verdicts.get(key),
    set(key, verdict) {
      watched.last = verdict;
      return verdicts.set(key, verdict);
    },
  };
  return watched;
}

describe('a server that does not answer the probe in time is offered both handshakes', { concurrency: true }, () => {
  test('a program of the 2026 revision that starts slowly is spoken to in that revision', async (t) => {
    const verdicts = watchedVerdicts();
    const transport = slowProgram(
      ['server/discover', { result: discovered }],
      ['initialize', { error: { code: -32_601, message: 'no such method' } }],
    );
    const server = mcpServer({ name: 'slow', transport, protocolVersions: verdicts });
    t.after(() => server.close());
    await server.ready();
    const { state, protocolVersion, lastError } = server.health();
    assert.deepEqual([state, protocolVersion, verdicts.last?.kind], ['up', modernVersion, 'modern'], lastError);
  });

  test('a program of both eras speaks the older after `initialize`, and the newer on the next connection', async (t) => {
    const verdicts = watchedVerdicts();
    const transport = slowProgram(
      ['server/discover', { result: discovered }],
      ['initialize', { result: initializeResult }],
    );
    const server = mcpServer({ name: 'slow', transport, protocolVersions: verdicts });
    t.after(() => server.close());
    await server.ready();
    assert.equal(server.health().protocolVersion, '2025-06-18', server.health().lastError);
    assert.equal(verdicts.last?.kind, 'modern');
    await server.restart();
    assert.equal(server.health().protocolVersion, modernVersion, server.health().lastError);
  });

  test('a program that ignores the probe is up, and probed again after an hour instead of a day', async (t) => {
    const verdicts = watchedVerdicts();
    const transport = slowProgram(['initialize', { result: initializeResult }]);
    const server = mcpServer({ name: 'slow', transport, protocolVersions: verdicts });
    t.after(() => server.close());
    await server.ready();
    assert.equal(server.health().protocolVersion, '2025-06-18', server.health().lastError);
    const { last } = verdicts;
    assert.equal(last?.isGuess, true);
    const hoursAgo = Date.now() - 2 * 60 * 60 * 1000;
    assert.deepEqual(freshDiscovery(last), { kind: 'legacy' });
    assert.equal(freshDiscovery({ kind: 'legacy', at: hoursAgo, isGuess: true }), undefined);
    assert.deepEqual(freshDiscovery({ kind: 'legacy', at: hoursAgo }), { kind: 'legacy' });
  });

  test('a program that answers the probe late with an error is known to be of an older revision', async (t) => {
    const verdicts = watchedVerdicts();
    const transport = slowProgram(
      ['server/discover', { error: { code: -32_601, message: 'no such method' } }],
      ['initialize', { result: initializeResult }],
    );
    const server = mcpServer({ name: 'slow', transport, protocolVersions: verdicts });
    t.after(() => server.close());
    await server.ready();
    assert.equal(server.health().protocolVersion, '2025-06-18', server.health().lastError);
    assert.deepEqual([verdicts.last?.kind, verdicts.last?.isGuess], ['legacy', undefined]);
  });

  // On the network the older handshake starts after a third of the time for connecting.
  const connectTimeoutMs = 15_000;

  test('a web server of the 2026 revision that answers late is spoken to in that revision', async (t) => {
    const initialized = Promise.withResolvers<void>();
    const fixture = await httpFixture('modern', 0, async (request) => {
      const body = await request.clone().text();
      if (body.includes('"server/discover"')) await initialized.promise;
      if (!body.includes('"initialize"')) return undefined;
      initialized.resolve();
      return await new Promise<never>(() => undefined);
    });
    t.after(() => fixture.close());
    const verdicts = watchedVerdicts();
    const transport = { type: 'http', url: fixture.url } as const;
    const server = mcpServer({ name: 'slow', transport, protocolVersions: verdicts, connectTimeoutMs });
    t.after(() => server.close());
    await until(() => server.health().state === 'up', 'the server is up');
    assert.deepEqual([server.health().protocolVersion, verdicts.last?.kind], [modernVersion, 'modern']);
  });

  test('a web server that ignores the probe is up in the older revision, and the probe is ended', async (t) => {
    const ended = Promise.withResolvers<void>();
    const fixture = await httpFixture('legacy', 0, async (request) => {
      if (!(await request.clone().text()).includes('"server/discover"')) return undefined;
      request.signal.addEventListener('abort', () => ended.resolve());
      return await new Promise<never>(() => undefined);
    });
    t.after(() => fixture.close());
    const verdicts = watchedVerdicts();
    const transport = { type: 'http', url: fixture.url } as const;
    const server = mcpServer({ name: 'slow', transport, protocolVersions: verdicts, connectTimeoutMs });
    t.after(() => server.close());
    await until(() => server.health().state === 'up', 'the server is up');
    assert.deepEqual([server.health().protocolVersion, verdicts.last?.isGuess], ['2025-11-25', true]);
    await ended.promise;
  });
});
