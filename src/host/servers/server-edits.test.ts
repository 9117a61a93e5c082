import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, it } from 'node:test';
import { fixtureProgram } from '../../../test/mcp-servers/programs.ts';
import { browse, protectedServer } from '../../../test/mcp-servers/protected-server.ts';
import { adminToken, bodyOf, startTestServer } from '../../../test/support/http/http-server.ts';
import { loadConfiguration } from '../../config/file/load-configuration.ts';
import type { ConfigurationChanged } from '../../journal/entries/journal-event.ts';
import type { ProblemDocument } from '../../server/problems/problem.ts';
import { openConfiguredBox } from '../box/open-box.ts';

interface Details {
  readonly name: string;
  readonly status: string;
  readonly needsSignIn?: boolean;
  readonly configured: boolean;
  readonly signIn?: { readonly state: string };
}

/** Starts a server from a configuration file, with a temporary home directory. */
async function startPlace(test: TestContext, configuration: object) {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-edits-'));
  test.after(() => rmSync(directory, { recursive: true }));
  const home = process.env['HOME'];
  process.env['HOME'] = directory;
  test.after(() => (process.env['HOME'] = home));
  const file = join(directory, 'signalbox.config.json');
  writeFileSync(file, `// a comment\n${JSON.stringify(configuration)}`);
  const configured = await openConfiguredBox(loadConfiguration(file), { secretsFrom: join(directory, 'data') });
  test.after(() => configured.close());
  const { get, send } = await startTestServer(test, { box: configured.box, configuration: configured });
  return {
    directory,
    file,
    configured,
    get,
    text: () => readFileSync(file, 'utf8'),
    send: (method: string, path: string, body?: object) => send(adminToken, method, path, body),
    details: (name: string) => bodyOf<Details>(get(`/api/servers/${name}`)),
  };
}

const withoutComment = (text: string): string => text.slice(text.indexOf('\n'));

async function until<Value>(read: () => Promise<Value>, isReached: (value: Value) => boolean): Promise<Value> {
  for (;;) {
    const value = await read();
    if (isReached(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('editing servers over HTTP', () => {
  it('adds and removes a server, preserves the rest of the file, and records the principal', async (test) => {
    const { file, configured, get, text, send, details } = await startPlace(test, { mcpServers: {} });
    const { command, args } = fixtureProgram();
    const added = await send('POST', '/api/servers', { name: 'more', entry: { command, args } });
    assert.deepEqual([added.status, await bodyOf<object>(added)], [201, { servers: ['more'], notes: [] }]);
    await configured.ready('more');
    assert.deepEqual([(await details('more')).status, (await details('more')).configured], ['up', true]);
    assert.match(text(), /^\/\/ a comment\n/);
    assert.equal((await configured.reload(() => loadConfiguration(file))).status, 'unchanged');
    assert.equal((await send('POST', '/api/servers', { name: 'more', entry: { command } })).status, 409);
    assert.equal((await send('DELETE', '/api/servers/more')).status, 204);
    assert.equal((await get('/api/servers/more')).status, 404);
    assert.deepEqual(loadConfiguration(file).servers, []);
    assert.equal((await send('DELETE', '/api/servers/signalbox')).status, 404, 'it is not in the file');
    const { items } = await bodyOf<{ items: ConfigurationChanged[] }>(get('/api/journal?type=ConfigurationChanged'));
    assert.deepEqual(
      items.map(({ by, details: what }) => [by?.id, ...what]),
      [
        ['token:admin', 'removed more from the configuration'],
        ['token:admin', 'added more to the configuration'],
      ],
    );
  });

  it('stores a secret in an entry encrypted, so that no file and no response contains it', async (test) => {
    const { directory, configured, text, send } = await startPlace(test, { mcpServers: {} });
    const secret = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
    const { command, args } = fixtureProgram();
    const entry = { command, args, env: { GITHUB_TOKEN: secret, PLAIN: 'x' } };
    const answer = await (await send('POST', '/api/servers', { name: 'hub', entry })).text();
    assert.match(text(), /"GITHUB_TOKEN": ?"\$\{secret:GITHUB_TOKEN\}"/);
    await configured.ready('hub');
    assert.deepEqual(
      await bodyOf<{ status: string }>(send('POST', '/api/servers/hub/restart')).then((now) => now.status),
      'up',
    );
    for (const entryOnDisk of readdirSync(directory, { recursive: true, withFileTypes: true })) {
      const { name, parentPath } = entryOnDisk;
      if (entryOnDisk.isFile()) assert.ok(!readFileSync(join(parentPath, name), 'latin1').includes(secret), name);
    }
    assert.ok(!answer.includes(secret));
  });

  it('rejects an unusable entry with the reason, and writes nothing', async (test) => {
    const { directory, text, send } = await startPlace(test, { mcpServers: {} });
    writeFileSync(
      join(directory, 'tools.ts'),
      `const tool = (name) => ({ name, description: name, effect: 'read', input: { type: 'object' }, run: () => name });
       export default [tool('a'), tool('b')];`,
    );
    const colliding = { module: './tools.ts', tools: { rename: { a: 'b' } } };
    const before = text();
    const env = { GITHUB_TOKEN: 'ghp_16C7e42F292c6912E7710c838347Ae178B4a' };
    for (const entry of [{ comand: 'x', env }, {}, colliding]) {
      const response = await send('POST', '/api/servers', { name: 'bad', entry });
      const { detail } = await bodyOf<ProblemDocument>(response);
      assert.ok(response.status >= 400 && detail.length > 10, `${JSON.stringify(entry)} ${response.status} ${detail}`);
    }
    assert.deepEqual(JSON.parse(withoutComment(text())), JSON.parse(withoutComment(before)));
    assert.equal((await send('POST', '/api/servers', { name: 'signalbox', entry: { command: 'x' } })).status, 409);
    const { command, args } = fixtureProgram();
    assert.equal((await send('POST', '/api/servers', { name: 'good', entry: { command, args, env } })).status, 201);
    assert.match(text(), /\$\{secret:GITHUB_TOKEN\}/, 'a secret of a rejected entry has taken the name');
  });

  it('lists servers of other clients without their secrets, and imports the chosen ones', async (test) => {
    const { directory, configured, get, text, send } = await startPlace(test, {
      mcpServers: { here: { command: 'x', disabled: true } },
    });
    const { command, args } = fixtureProgram();
    const token = 'sk-ant-api03-Zk4nQ9xW2vB7mT1pL8sD3fG6hJ5kR0cY';
    mkdirSync(join(directory, '.cursor'));
    writeFileSync(
      join(directory, '.cursor', 'mcp.json'),
      JSON.stringify({
        mcpServers: {
          one: { command, args, env: { API_KEY: token } },
          two: { command, args },
          here: { command: 'y' },
        },
      }),
    );
    const found = await get('/api/import');
    const shown = await found.text();
    assert.ok(!shown.includes(token));
    const { items } = JSON.parse(shown) as { items: { name: string; from: { client: string }[]; secrets: string[] }[] };
    const own = items.filter(({ from }) => from.some(({ client }) => client === 'Cursor'));
    assert.deepEqual(
      own.map(({ name, secrets }) => [name, secrets]),
      [
        ['one', ['ONE_API_KEY']],
        ['two', []],
      ],
    );
    const { servers } = await bodyOf<{ servers: string[] }>(send('POST', '/api/import', { names: ['one'] }));
    assert.deepEqual(servers, ['one']);
    await configured.ready('one');
    assert.equal((await bodyOf<Details>(get('/api/servers/one'))).status, 'up');
    assert.ok(!text().includes(token) && !text().includes('"two"'));
    assert.equal((await send('POST', '/api/import', { names: ['one'] })).status, 404, 'it was imported already');
  });

  it('signs a person in to a protected server, which is up afterwards', async (test) => {
    const { url } = await protectedServer(test);
    const { configured, details, send } = await startPlace(test, {
      mcpServers: { web: { url, auth: { type: 'oauth' } } },
    });
    await configured.ready('web');
    const before = await details('web');
    assert.deepEqual([before.status, before.needsSignIn], ['down', true]);
    const first = await bodyOf<{ url: string }>(send('POST', '/api/servers/web/sign-in'));
    assert.equal((await details('web')).signIn?.state, 'waiting');
    const again = await bodyOf<{ url: string }>(send('POST', '/api/servers/web/sign-in'));
    assert.notEqual(again.url, first.url);
    assert.equal((await browse(new URL(again.url))).status, 200);
    const after = await until(
      () => details('web'),
      ({ status }) => status === 'up',
    );
    assert.deepEqual([after.signIn?.state, after.needsSignIn], ['signed-in', undefined]);
    assert.equal((await send('POST', '/api/servers/none/sign-in')).status, 404);
  });

  it('rejects a sign-in to a server without OAuth', async (test) => {
    const { send } = await startPlace(test, { mcpServers: { plain: { command: 'x', disabled: true } } });
    const response = await send('POST', '/api/servers/plain/sign-in');
    assert.deepEqual([response.status, (await bodyOf<ProblemDocument>(response)).code], [409, 'sign-in-refused']);
  });
});
