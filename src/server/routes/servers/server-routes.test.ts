import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { z } from '@hono/zod-openapi';
import { fixtureProgram } from '../../../../test/mcp-servers/programs.ts';
import { type TestServer, adminToken, bodyOf, startTestServer } from '../../../../test/support/http/http-server.ts';
import type { ConfigurationChanged } from '../../../journal/entries/journal-event.ts';
import { mcpServer } from '../../../sources/mcp/mcp-server.ts';
import type { McpServerOptions } from '../../../sources/mcp/mcp-server-options.ts';
import type { ProblemDocument } from '../../problems/problem.ts';
import type { serverDetailsSchema } from '../../schemas/catalog-schemas.ts';

type Details = z.output<typeof serverDetailsSchema>;

function post({ server }: TestServer, path: string): Promise<Response> {
  return fetch(server.url + path, { method: 'POST', headers: { authorization: `Bearer ${adminToken}` } });
}

async function mount({ box }: TestServer, options: Partial<McpServerOptions> = {}): Promise<void> {
  const server = mcpServer({ name: 'files', transport: fixtureProgram('legacy', '--pid'), ...options });
  box.servers.add(server);
  await server.ready();
}

describe('GET /api/servers/{name}', () => {
  it('returns the health and the recent log of an external server without secrets', async (test) => {
    const served = await startTestServer(test);
    await mount(served);
    served.box.secrets.add('TOKEN', 'line 249 ');
    await served.box.call('mcp__files__flood', { lines: 250 });
    let details = await bodyOf<Details>(served.get('/api/servers/files'));
    for (const end = Date.now() + 60_000; details.stderr.length < 200 && Date.now() < end;)
      details = await bodyOf<Details>(served.get('/api/servers/files'));
    assert.equal(details.status, 'up');
    assert.deepEqual(
      [details.health?.state, details.health?.protocolVersion, details.health?.restarts],
      ['up', '2025-11-25', 0],
    );
    assert.deepEqual(details.health?.serverInfo, { name: 'fixture', version: '1.2.3' });
    assert.equal(details.stderr.length, 200);
    assert.match(details.stderr.at(-2) ?? '', /^line 248 /);
    assert.doesNotMatch(details.stderr.at(-1) ?? '', /line 249/);
    assert.equal((await served.get('/api/servers/none')).status, 404);
    const local = await bodyOf<Details>(served.get('/api/servers/test'));
    assert.deepEqual([local.health, local.stderr], [undefined, []]);
  });

  it('returns the last error and the time of the next connection attempt', async (test) => {
    const served = await startTestServer(test);
    await mount(served, { transport: { type: 'stdio', command: 'no-such-program' } });
    const { status, health } = await bodyOf<Details>(served.get('/api/servers/files'));
    assert.equal(status, 'down');
    assert.match(health?.lastError ?? '', /"no-such-program" was not found/);
    assert.ok(health?.state === 'connecting' || Date.parse(health?.nextRetryAt ?? '') > 0);
  });
});

describe('POST /api/servers/{name}/restart', () => {
  it('starts a new process, whose tools are available; the changes are recorded with their author', async (test) => {
    const served = await startTestServer(test);
    await mount(served);
    const pid = async (): Promise<unknown> => (await served.box.call('mcp__files__echo_pid')).content[0];
    const before = await pid();
    const response = await post(served, '/api/servers/files/restart');
    assert.equal(response.status, 200);
    const { status, health } = await bodyOf<Details>(response);
    assert.deepEqual([status, health?.state, health?.restarts], ['up', 'up', 1]);
    assert.notDeepEqual(await pid(), before);
    await post(served, '/api/servers/files/disable');
    await post(served, '/api/servers/files/enable');
    const recorded = served.get('/api/journal?type=ConfigurationChanged');
    const { items } = await bodyOf<{ items: ConfigurationChanged[] }>(recorded);
    assert.deepEqual(
      items.map(({ by, details }) => [by?.id, ...details]),
      ['enabled', 'disabled', 'restarted'].map((change) => ['token:admin', `${change} files`]),
    );
  });

  it('returns 409 for a server in this process, and 404 for an unknown one', async (test) => {
    const served = await startTestServer(test);
    const local = await post(served, '/api/servers/test/restart');
    const problem = await bodyOf<ProblemDocument>(local);
    assert.deepEqual([local.status, problem.code], [409, 'server-local']);
    assert.match(problem.detail, /runs inside Signalbox/);
    const unknown = await post(served, '/api/servers/none/restart');
    assert.deepEqual([unknown.status, (await bodyOf<ProblemDocument>(unknown)).code], [404, 'server-unknown']);
  });
});

describe('required server', () => {
  it('makes readiness fail while it is down, without its name for unauthenticated callers', async (test) => {
    const served = await startTestServer(test);
    await mount(served, { required: true, transport: { type: 'stdio', command: 'no-such-program' } });
    const health = await fetch(`${served.server.url}/api/health`);
    assert.equal(health.status, 503);
    assert.deepEqual(await health.json(), {
      status: 'unavailable',
      journal: 'ok',
      servers: 'unavailable',
      starting: 0,
    });
    assert.equal((await bodyOf<Details>(served.get('/api/servers/files'))).required, true);
    await served.box.servers.remove('files');
    assert.equal((await fetch(`${served.server.url}/api/health`)).status, 200);
  });
});

describe('/api/lock', () => {
  it('reports that a server without a configuration has no lock', async (test) => {
    const served = await startTestServer(test);
    const response = await served.get('/api/lock');
    assert.deepEqual([response.status, (await bodyOf<ProblemDocument>(response)).code], [404, 'configuration-absent']);
  });
});
