import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, it } from 'node:test';
import { fixtureProgram } from '../../../test/mcp-servers/programs.ts';
import { browse, protectedServer } from '../../../test/mcp-servers/protected-server.ts';
import { adminToken, bodyOf, startTestServer } from '../../../test/support/http-server.ts';
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

/** A server that runs from a configuration file, in a home of its own. */
async function place(test: TestContext, configuration: object) {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-edits-'));
  test.after(() => rmSync(directory, { recursive: true }));
  const home = process.env['HOME'];
  process.env['HOME'] = directory;
  test.after(() => (process.env['HOME'] = home));
  const file = join(directory, 'signalbox.config.json');
  writeFileSync(file, `// kept\n${JSON.stringify(configuration)}`);
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

async function until<Value>(read: () => Promise<Value>, isReached: (value: Value) => boolean): Promise<Value> {
  for (;;) {
    const value = await read();
    if (isReached(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('servers of the configuration over HTTP', () => {
  it('a server is added, works, and is removed; the rest of the file stays, and who did it is recorded', async (test) => {
    const { file, configured, get, text, send, details } = await place(test, { mcpServers: {} });
    const { command, args } = fixtureProgram();
    const added = await send('POST', '/api/servers', { name: 'more', entry: { command, args } });
    assert.deepEqual([added.status, await bodyOf<object>(added)], [201, { servers: ['more'], notes: [] }]);
    await configured.ready('more');
    assert.deepEqual([(await details('more')).status, (await details('more')).configured], ['up', true]);
    assert.match(text(), /^\/\/ kept\n/);
    assert.equal((await configured.reload(() => loadConfiguration(file))).status, 'unchanged');
    assert.equal((await send('POST', '/api/servers', { name: 'more', entry: { command } })).status, 409);
    assert.equal((await send('DELETE', '/api/servers/more')).status, 204);
    assert.equal((await get('/api/servers/more')).status, 404);
    assert.deepEqual(loadConfiguration(file).servers, []);
    assert.equal((await send('DELETE', '/api/servers/signalbox')).status, 404, 'it does not stand in the file');
    const { items } = await bodyOf<{ items: ConfigurationChanged[] }>(get('/api/journal?type=ConfigurationChanged'));
    assert.deepEqual(
      items.map(({ by, details: what }) => [by?.id, ...what]),
      [
        ['token:admin', 'removed more from the configuration'],
        ['token:admin', 'added more to the configuration'],
      ],
    );
  });

  it('a secret in an entry is kept encrypted and is in no file and no answer', async (test) => {
    const { directory, configured, text, send } = await place(test, { mcpServers: {} });
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
    for (const kept of readdirSync(directory, { recursive: true, withFileTypes: true }))
      if (kept.isFile())
        assert.ok(!readFileSync(join(kept.parentPath, kept.name), 'latin1').includes(secret), kept.name);
    assert.ok(!answer.includes(secret));
  });

  it('an entry that cannot be used is refused with the reason, and nothing is written', async (test) => {
    const { directory, text, send } = await place(test, { mcpServers: {} });
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
    assert.deepEqual(JSON.parse(text().slice(8)), JSON.parse(before.slice(8)));
    assert.equal((await send('POST', '/api/servers', { name: 'signalbox', entry: { command: 'x' } })).status, 409);
    const { command, args } = fixtureProgram();
    assert.equal((await send('POST', '/api/servers', { name: 'good', entry: { command, args, env } })).status, 201);
    assert.match(text(), /\$\{secret:GITHUB_TOKEN\}/, 'no secret of a refused entry has taken the name');
  });

  it('servers of other clients are found without their secrets, and the chosen ones are taken over', async (test) => {
    const { directory, configured, get, text, send } = await place(test, {
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
    assert.equal((await send('POST', '/api/import', { names: ['one'] })).status, 404, 'it is here now');
  });

  it('a person signs in at a protected server from the browser, and it comes up', async (test) => {
    const { url } = await protectedServer(test);
    const { configured, details, send } = await place(test, { mcpServers: { web: { url, auth: { type: 'oauth' } } } });
    await configured.ready('web');
    const before = await details('web');
    assert.deepEqual([before.status, before.needsSignIn], ['down', true]);
    const begun = await bodyOf<{ url: string }>(send('POST', '/api/servers/web/sign-in'));
    assert.equal((await details('web')).signIn?.state, 'waiting');
    const again = await bodyOf<{ url: string }>(send('POST', '/api/servers/web/sign-in'));
    assert.notEqual(again.url, begun.url);
    assert.equal((await browse(new URL(again.url))).status, 200);
    const after = await until(
      () => details('web'),
      ({ status }) => status === 'up',
    );
    assert.deepEqual([after.signIn?.state, after.needsSignIn], ['signed-in', undefined]);
    assert.equal((await send('POST', '/api/servers/none/sign-in')).status, 404);
  });

  it('nobody is sent to sign in where that makes no sense', async (test) => {
    const { send } = await place(test, { mcpServers: { plain: { command: 'x', disabled: true } } });
    const response = await send('POST', '/api/servers/plain/sign-in');
    assert.deepEqual([response.status, (await bodyOf<ProblemDocument>(response)).code], [409, 'sign-in-refused']);
  });
});
