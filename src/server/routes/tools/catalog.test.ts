import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { z } from '@hono/zod-openapi';
import { adminToken, bodyOf, startTestServer } from '../../../../test/support/http/http-server.ts';
import type { catalogSchema, serverSchema } from '../../schemas/catalog-schemas.ts';

type Catalog = z.output<typeof catalogSchema>;
type Server = z.output<typeof serverSchema>;

describe('GET /api/tools', () => {
  it('lists the tools with their servers', async (test) => {
    const { get, box } = await startTestServer(test);
    const catalog = await bodyOf<Catalog>(get('/api/tools'));
    assert.deepEqual(Object.keys(catalog).toSorted(), ['hidden', 'items', 'notices', 'servers', 'version']);
    assert.deepEqual(catalog.items, JSON.parse(JSON.stringify(box.tools())));
    assert.deepEqual(
      catalog.servers.map(({ name, status }) => ({ name, status })),
      [
        { name: 'signalbox', status: 'up' },
        { name: 'test', status: 'up' },
      ],
    );
  });

  it('lists the tools of a profile with an ETag of its own; an unknown profile gets 404', async (test) => {
    const { get, box } = await startTestServer(test);
    box.profiles.set({ calm: { tools: ['!ping'] } });
    const whole = await get('/api/tools');
    const calm = await get('/api/tools?profile=calm');
    const etag = calm.headers.get('etag') ?? '';
    const { items, hidden } = await bodyOf<Catalog>(calm);
    assert.ok(!items.some(({ name }) => name === 'mcp__signalbox__ping'));
    assert.deepEqual(
      hidden.map(({ name, by }) => [name, by]),
      [['mcp__signalbox__ping', 'profile']],
    );
    assert.notEqual(etag, whole.headers.get('etag'));
    assert.equal((await get('/api/tools?profile=calm', { 'if-none-match': etag })).status, 304);
    const unknown = await get('/api/tools?profile=clam');
    assert.equal(unknown.status, 404);
    assert.match(JSON.stringify(await bodyOf<object>(unknown)), /"code":"profile-unknown".*did you mean/);
  });

  it('lists hidden tools with the reason and its time', async (test) => {
    const { get, box } = await startTestServer(test);
    box.servers.disable('test');
    const catalog = await bodyOf<Catalog>(get('/api/tools'));
    const hidden = catalog.hidden.find(({ name }) => name === 'mcp__test__echo');
    assert.equal(hidden?.by, 'server-disabled');
    assert.ok(Date.now() - Date.parse(hidden.since) < 10_000);
    const response = await get('/api/tools/mcp__test__echo');
    assert.equal(response.status, 404);
    assert.match((await bodyOf<{ detail: string }>(response)).detail, /"test" is disabled/);
  });

  it('returns 304 while the catalog is unchanged', async (test) => {
    const { get, box } = await startTestServer(test);
    const etag = (await get('/api/tools')).headers.get('etag') ?? '';
    const same = await get('/api/tools', { 'if-none-match': etag });
    assert.equal(same.status, 304);
    assert.equal(await same.text(), '');
    box.servers.disable('test');
    const changed = await get('/api/tools', { 'if-none-match': etag });
    assert.equal(changed.status, 200);
    assert.notEqual(changed.headers.get('etag'), etag);
  });

  it('does not match an ETag of an earlier process', async (test) => {
    const [first, second] = [await startTestServer(test), await startTestServer(test)];
    const etag = (await first.get('/api/tools')).headers.get('etag') ?? '';
    assert.equal((await second.get('/api/tools', { 'if-none-match': etag })).status, 200);
  });

  it('serializes the catalog once for each version', async (test) => {
    const { get, box } = await startTestServer(test);
    const [first] = box.tools();
    assert.ok(first);
    const stringify = test.mock.method(JSON, 'stringify');
    const serializations = (): number =>
      stringify.mock.calls.filter(({ arguments: [value] }) => isObject(value) && 'hidden' in value).length;
    for (let time = 0; time < 3; time++) await get('/api/tools');
    assert.equal(serializations(), 1);
    box.servers.disable('test');
    await get('/api/tools');
    assert.equal(serializations(), 2);
  });
});

describe('GET /api/tools/{name}', () => {
  it('returns a tool', async (test) => {
    const { get, box } = await startTestServer(test);
    const tool = await bodyOf<object>(get('/api/tools/mcp__test__echo'));
    assert.deepEqual(tool, JSON.parse(JSON.stringify(box.tools().find(({ name }) => name === 'mcp__test__echo'))));
  });
});

describe('/api/servers', () => {
  it('lists, disables and enables servers', async (test) => {
    const { server, get, call } = await startTestServer(test);
    const change = (name: string, action: string): Promise<Response> =>
      fetch(`${server.url}/api/servers/${name}/${action}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminToken}` },
      });
    const { items } = await bodyOf<{ items: Server[] }>(get('/api/servers'));
    assert.deepEqual(
      items.map(({ name }) => name),
      ['signalbox', 'test'],
    );
    assert.equal((await bodyOf<Server>(change('test', 'disable'))).status, 'disabled');
    assert.equal((await bodyOf(call('echo', { arguments: { text: 'a' } }))).error?.code, 'tool-hidden');
    assert.equal((await bodyOf<Server>(change('test', 'enable'))).status, 'up');
    assert.equal((await bodyOf(call('echo', { arguments: { text: 'a' } }))).outcome, 'completed');
    const unknown = await change('none', 'enable');
    assert.equal(unknown.status, 404);
    assert.equal((await bodyOf<{ code: string }>(unknown)).code, 'server-unknown');
  });
});

describe('GET /api/info and /api/health', () => {
  it('return the state of the server', async (test) => {
    const { get, box } = await startTestServer(test);
    const info = await bodyOf<Record<string, unknown>>(get('/api/info'));
    assert.equal(info['product'], 'Signalbox');
    assert.equal(info['version'], box.version);
    assert.equal(info['tools'], box.tools().length);
    assert.deepEqual(info['servers'], { up: 2, down: 0, disabled: 0 });
    assert.ok(typeof info['uptimeSeconds'] === 'number' && info['uptimeSeconds'] >= 0);
    assert.deepEqual(await bodyOf<object>(get('/api/health')), {
      status: 'ok',
      journal: 'ok',
      servers: 'ok',
      starting: 0,
    });
  });
});

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
