import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { httpFixture } from '../mcp-servers/http-fixture.ts';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { Place } from './cli-place.ts';

const { command, args } = fixtureProgram();

function configured(mcpServers: object): Place {
  return new Place({ 'signalbox.config.json': JSON.stringify({ mcpServers }) });
}

interface Catalog {
  readonly items: { name: string; effect: string }[];
  readonly servers: { name: string; status: string; reason?: string }[];
}

suite('external servers of the configuration', () => {
  test('are listed and called, shaped as the configuration says', async () => {
    const place = configured({
      files: {
        command,
        args,
        env: { GREETING: '${env:GREETING}', OTHER: '${OTHER:-usual}' },
        tools: { allow: ['echo', 'environment', 'act'], rename: { echo: 'say' }, effect: { act: 'read' } },
      },
    });
    const environment = { GREETING: 'a secret greeting' };
    const listed = await place.run(['tools', '--why', '--json'], { environment });
    const { items } = JSON.parse(listed.stdout) as Catalog;
    const own = items.filter(({ name }) => name.startsWith('mcp__files__'));
    assert.deepEqual(
      own.map(({ name, effect }) => `${name} ${effect}`),
      ['mcp__files__say read', 'mcp__files__environment read', 'mcp__files__act read'],
    );
    const said = await place.run(['call', 'files/say', '{"text":"hello"}'], { environment });
    assert.deepEqual([said.code, said.stdout], [0, 'hello\n'], said.stderr);
    const shown = await place.run(['call', 'files/environment'], { environment });
    assert.match(shown.stdout, /"GREETING":"a secret greeting"/);
    assert.match(shown.stdout, /"OTHER":"usual"/);
    const journal = readFileSync(join(place.data, 'signalbox.db'), 'latin1');
    assert.ok(!journal.includes('a secret greeting'), 'what came from the environment is not recorded');
  });

  test('a bearer token and headers reach a server on the network', async (t) => {
    const fixture = await httpFixture('modern');
    t.after(() => fixture.close());
    const place = configured({
      web: {
        type: 'websocket',
        url: '${BASE}/mcp',
        headers: { 'x-key': '${env:KEY}' },
        auth: { type: 'bearer', token: '${TOKEN}' },
      },
    });
    const environment = { BASE: fixture.url.replace(/\/mcp$/, ''), KEY: 'key-of-the-team', TOKEN: 'token-of-the-team' };
    const { code, stdout, stderr } = await place.run(['call', 'web/echo', '{"text":"over the wire"}'], { environment });
    assert.deepEqual([code, stdout], [0, 'over the wire\n'], stderr);
    assert.ok(
      fixture.requests.every(
        (headers) =>
          headers.get('authorization') === 'Bearer token-of-the-team' && headers.get('x-key') === 'key-of-the-team',
      ),
    );
  });

  test('what cannot be reached is down with its reason, and hides no other', async () => {
    const place = configured({
      unset: { command, args, env: { TOKEN: '${env:SURELY_NOT_SET}' } },
      broken: { command: process.execPath, args: ['-e', 'console.error("no database"); process.exit(7)'] },
      off: { command: 'no-such-program', disabled: true },
      good: { command, args },
    });
    const { items, servers } = (await place.json(['tools', '--why'])) as unknown as Catalog;
    assert.deepEqual(
      servers.map(({ name, status }) => `${name} ${status}`),
      ['signalbox up', 'unset down', 'broken down', 'off disabled', 'good up'],
    );
    assert.match(
      servers[1]?.reason ?? '',
      /the environment variable SURELY_NOT_SET is not set, to which mcpServers\.unset\.env\.TOKEN refers/,
    );
    assert.match(servers[2]?.reason ?? '', /its process ended with exit code 7/);
    assert.ok(items.some(({ name }) => name === 'mcp__good__echo'));

    const { code, stdout } = await place.run(['doctor']);
    assert.equal(code, 1);
    assert.match(stdout, /exit code 7.*; the last it wrote: .*no database/);
    assert.match(stdout, /mcp__good__broken: its input schema cannot be compiled/);
  });
});
