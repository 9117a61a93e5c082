import assert from 'node:assert/strict';
import { readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { httpFixture } from '../mcp-servers/http-fixture.ts';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { freePort } from '../support/http/free-port.ts';
import { CliProject, waitForExit, launcher, waitForOutput } from './cli-project.ts';

const { command, args } = fixtureProgram();

function createProject(mcpServers: object): CliProject {
  return new CliProject({ 'signalbox.config.json': JSON.stringify({ mcpServers }) });
}

interface Catalog {
  readonly items: { name: string; effect: string }[];
  readonly servers: { name: string; status: string; reason?: string }[];
}

suite('external servers of the configuration', () => {
  test('are listed and called, shaped as configured', async () => {
    const project = createProject({
      files: {
        command,
        args,
        env: { GREETING: '${env:GREETING}', OTHER: '${OTHER:-usual}' },
        tools: { allow: ['echo', 'environment', 'act'], rename: { echo: 'say' }, effect: { act: 'read' } },
      },
    });
    const environment = { GREETING: 'a secret greeting' };
    const listed = await project.run(['tools', '--why', '--json'], { environment });
    const { items } = JSON.parse(listed.stdout) as Catalog;
    const own = items.filter(({ name }) => name.startsWith('mcp__files__'));
    assert.deepEqual(
      own.map(({ name, effect }) => `${name} ${effect}`),
      ['mcp__files__say read', 'mcp__files__environment read', 'mcp__files__act read'],
    );
    const called = await project.run(['call', 'files/say', '{"text":"hello"}'], { environment });
    assert.deepEqual([called.code, called.stdout], [0, 'hello\n'], called.stderr);
    const shown = await project.run(['call', 'files/environment'], { environment });
    assert.match(shown.stdout, /"GREETING":"a secret greeting"/);
    assert.match(shown.stdout, /"OTHER":"usual"/);
    const journal = readFileSync(join(project.data, 'signalbox.db'), 'latin1');
    assert.ok(!journal.includes('a secret greeting'), 'values from the environment are not recorded');
  });

  test('receive the directories of their workspace as roots', async () => {
    const project = createProject({ files: { command, args, workspace: ['.', 'notes'] } });
    const { code, stdout, stderr } = await project.run(['call', 'files/directories']);
    assert.equal(code, 0, stderr);
    const { roots } = JSON.parse(stdout) as { roots: { uri: string }[] };
    assert.deepEqual(
      roots.map(({ uri }) => uri),
      [project.directory, join(project.directory, 'notes')].map((path) => pathToFileURL(path).href),
    );
  });

  test('receive the configured bearer token and headers over HTTP', async (t) => {
    const fixture = await httpFixture('modern');
    t.after(() => fixture.close());
    const project = createProject({
      web: {
        type: 'websocket',
        url: '${BASE}/mcp',
        headers: { 'x-key': '${env:KEY}' },
        auth: { type: 'bearer', token: '${TOKEN}' },
      },
    });
    const environment = { BASE: fixture.url.replace(/\/mcp$/, ''), KEY: 'key-of-the-team', TOKEN: 'token-of-the-team' };
    const { code, stdout, stderr } = await project.run(['call', 'web/echo', '{"text":"over the wire"}'], {
      environment,
    });
    assert.deepEqual([code, stdout], [0, 'over the wire\n'], stderr);
    assert.ok(
      fixture.requests.every(
        (headers) =>
          headers.get('authorization') === 'Bearer token-of-the-team' && headers.get('x-key') === 'key-of-the-team',
      ),
    );
  });

  test('are down with the reason if they cannot be reached, and hide no other server', async () => {
    const project = createProject({
      unset: { command, args, env: { TOKEN: '${env:SURELY_NOT_SET}' } },
      broken: { command: process.execPath, args: ['-e', 'console.error("no database"); process.exit(7)'] },
      off: { command: 'no-such-program', disabled: true },
      good: { command, args },
    });
    const { items, servers } = (await project.json(['tools', '--why'])) as unknown as Catalog;
    assert.deepEqual(
      servers.map(({ name, status }) => `${name} ${status}`),
      ['signalbox up', 'unset down', 'broken down', 'off disabled', 'good up'],
    );
    assert.match(
      servers[1]?.reason ?? '',
      /mcpServers\.unset\.env\.TOKEN refers to the environment variable SURELY_NOT_SET, which is not set/,
    );
    assert.match(servers[2]?.reason ?? '', /its process ended with exit code 7/);
    assert.ok(items.some(({ name }) => name === 'mcp__good__echo'));

    const { code, stdout } = await project.run(['doctor']);
    assert.equal(code, 1);
    assert.match(stdout, /exit code 7.*; its last output: .*no database/);
    assert.match(stdout, /mcp__good__broken is hidden: its input schema cannot be used/);
  });

  test('start by their npm shorthand, from the installed version and without the network', async () => {
    const { version } = createRequire(import.meta.url)('@modelcontextprotocol/server-memory/package.json') as {
      version: string;
    };
    const project = new CliProject();
    const mcpServers = {
      memory: {
        npm: `@modelcontextprotocol/server-memory@${version}`,
        // npx would fail, because it cannot reach this registry.
        env: { MEMORY_FILE_PATH: join(project.directory, 'memory.json'), npm_config_registry: 'http://127.0.0.1:1' },
        tools: { effect: { create_entities: 'read' } },
      },
    };
    writeFileSync(join(project.directory, 'signalbox.config.json'), JSON.stringify({ mcpServers }));
    symlinkSync(join(import.meta.dirname, '..', '..', 'node_modules'), join(project.directory, 'node_modules'));
    const entities = [{ name: 'signalbox', entityType: 'project', observations: ['it works'] }];
    const called = await project.run(['call', 'memory/create_entities', JSON.stringify({ entities })]);
    assert.equal(called.code, 0, called.stderr);
    assert.match(called.stdout, /it works/);
  });

  test('are down with the reason if they are Signalbox itself, instead of starting it endlessly', async () => {
    const port = await freePort();
    const token = 'a-token-for-the-test';
    const project = createProject({
      started: { command: process.execPath, args: [launcher, 'stdio'], env: { SIGNALBOX_HOME: './data' } },
      reached: { url: `http://127.0.0.1:${port}/mcp`, headers: { Authorization: `Bearer ${token}` } },
    });
    const { url, stop } = await project.serve({ SIGNALBOX_TOKEN: token }, '--port', String(port));
    const headers = { authorization: `Bearer ${token}` };
    const reasons = async (): Promise<string[]> => {
      const { items } = (await (await fetch(`${url}/api/servers`, { headers })).json()) as {
        items: { name: string; status: string; reason?: string }[];
      };
      return items.slice(1).map(({ name, status, reason = '' }) => `${name} ${status} ${reason}`);
    };
    const expected = [
      /^started down .*exit code 2/,
      /^reached down .*\/mcp is this Signalbox itself; take this server out/,
    ];
    const deadline = Date.now() + 30_000;
    let seen = await reasons();
    while (!expected.every((each, index) => each.test(seen[index] ?? '')) && Date.now() < deadline) {
      await delay(100);
      seen = await reasons();
    }
    expected.forEach((each, index) => assert.match(seen[index] ?? '', each));
    const started = await (await fetch(`${url}/api/servers/started`, { headers })).text();
    assert.match(started, /this configuration has Signalbox itself as a server/);
    await stop();
  });

  test('that are required and down are reported by serve, and by doctor, which exits with 1', async () => {
    const project = createProject({
      needed: { command: 'no-such-program', required: true },
      off: { command, args, required: true, disabled: true },
    });
    const { code, stdout } = await project.run(['doctor']);
    assert.equal(code, 1);
    assert.match(stdout, /required: server "needed" is down: the program "no-such-program" was not found/);
    assert.match(stdout, /server "off" is required, and disabled by the configuration\n.*signalbox enable off/);
    const child = project.start(['serve', '--port', '0', '--json']);
    const ended = waitForExit(child);
    await waitForOutput(child.stderr, /warning: required server "needed" is down: the program/);
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });

  test('get the roots of their entry outside a session, or their workspace', async () => {
    const project = createProject({
      explicit: { command, args, roots: ['notes', '/srv/shared'], workspace: ['.'] },
      implicit: { command, args, workspace: ['work'] },
    });
    const rootsOf = async (server: string): Promise<string[]> => {
      const { stdout } = await project.run(['call', `mcp__${server}__directories`]);
      return [...stdout.matchAll(/file:\/\/[^"\\]+/g)].map(([uri]) => uri);
    };
    const at = (path: string): string => pathToFileURL(join(realpathSync(project.directory), path)).href;
    assert.deepEqual(await rootsOf('explicit'), [at('notes'), 'file:///srv/shared']);
    assert.deepEqual(await rootsOf('implicit'), [at('work')]);
  });

  test('cannot have idleStopMs if they have no process', async () => {
    const project = createProject({ web: { type: 'http', url: 'https://example.com/mcp', idleStopMs: 1000 } });
    const { error } = (await project.json(['tools'], 2)) as {
      error: { problems: { path: string; message: string }[] };
    };
    assert.deepEqual(
      error.problems.map(({ path }) => path),
      ['mcpServers.web.idleStopMs'],
    );
  });
});
