import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { npmProgram } from '../../src/host/servers/external-transport.ts';
import { connectCommands } from '../../src/server/connect-commands.ts';
import { type McpTransport, createSignalbox, localServer, mcpServer } from '../../src/index.ts';
import { bundledFixture } from '../mcp-servers/bundled-fixture.ts';
import { adminToken, sendRawRequest, startTestServer } from '../support/http-server.ts';

function scratch(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-attacks-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** Texts that a shell would make something of: each would leave a file. */
function shellTexts(directory: string): string[] {
  const touch = `touch ${directory}/struck`;
  return [
    `$(${touch})`,
    `\`${touch}\``,
    `; ${touch} ;`,
    `| ${touch}`,
    `&& ${touch} #`,
    `\n${touch}\n`,
    `' ; ${touch} ; '`,
    `" ; ${touch} ; "`,
    `\${IFS}$(${touch})`,
    `> ${directory}/struck`,
  ];
}

describe('what a shell would run', () => {
  test('is an argument, a name in the environment, a directory or a text to the program that is started, and nothing more', async (t) => {
    const directory = scratch(t);
    for (const text of shellTexts(directory)) {
      const transport: McpTransport = {
        type: 'stdio',
        command: process.execPath,
        args: [bundledFixture, 'legacy', text],
        env: { HOSTILE: text },
      };
      const server = mcpServer({ name: 'fixture', transport });
      const box = await createSignalbox({ servers: [server], approve: () => ({ allow: true }) });
      await server.ready();
      const said = await box.call('mcp__fixture__echo', { text });
      assert.deepEqual(said.content, [{ type: 'text', text }]);
      const { content } = await box.call('mcp__fixture__environment');
      const shown = content[0] as { text: string };
      assert.equal((JSON.parse(shown.text) as Record<string, string>)['HOSTILE'], text);
      assert.equal((await box.call(`mcp__fixture__${text}`)).outcome, 'denied');
      await box.close();
    }
    assert.deepEqual(readdirSync(directory), []);
  });

  test('is no program: one of such a name, or in such a directory, is not there', async (t) => {
    const directory = scratch(t);
    for (const text of shellTexts(directory))
      for (const transport of [
        { type: 'stdio', command: text },
        { type: 'stdio', command: `${process.execPath} ${bundledFixture} ${text}` },
        { type: 'stdio', command: process.execPath, args: [bundledFixture], cwd: text },
      ] satisfies McpTransport[]) {
        const server = mcpServer({ name: 'fixture', transport });
        await server.ready();
        assert.equal(server.health().state, 'down', text);
        await server.close();
      }
    assert.deepEqual(readdirSync(directory), []);
  });

  test('is one argument to npx, whatever the configuration calls a package', (t) => {
    const directory = scratch(t);
    for (const text of [...shellTexts(directory), '../../evil@1.0.0', '--eval=process.exit()']) {
      const { command, args } = npmProgram(text, [text], directory);
      assert.deepEqual([command, args], ['npx', ['-y', text, text]]);
    }
  });

  test('stays a file name in the lines that people paste into one', (t) => {
    const directory = scratch(t);
    const token = 'sbx_of-the-agents';
    for (const text of shellTexts(directory)) {
      const place = join(directory, 'kept', text.replaceAll('/', '_'));
      mkdirSync(join(directory, 'kept'), { recursive: true });
      writeFileSync(place, token);
      for (const { command } of connectCommands('http://127.0.0.1:4242', place)) {
        const said = execFileSync('sh', ['-c', command.replace(/^\S+/, 'printf "%s\\n"')], {
          encoding: 'utf8',
          cwd: directory,
        });
        assert.ok(said.includes(`Bearer ${token}`), `${command}\n${said}`);
      }
    }
    assert.equal(existsSync(join(directory, 'struck')), false);
    assert.deepEqual(readdirSync(directory), ['kept']);
  });
});

const climbs = [
  '../secret.txt',
  '..%2fsecret.txt',
  '..%2Fsecret.txt',
  '%2e%2e/secret.txt',
  '..%5csecret.txt',
  '....//secret.txt',
];
const deeper = [
  '../../../../../../../../etc/passwd',
  '..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd',
  '%2fetc%2fpasswd',
  'x%00.js',
];

describe('a path that leads out', () => {
  test('is no file of the console, no result, call, session, server, profile or tool', async (t) => {
    const directory = scratch(t);
    mkdirSync(join(directory, 'built', 'console'), { recursive: true });
    writeFileSync(join(directory, 'built', 'index.html'), 'the page');
    writeFileSync(join(directory, 'built', 'console', 'app.js'), 'the script');
    for (const place of ['secret.txt', 'built/secret.txt']) writeFileSync(join(directory, place), 'root:secret');
    const { server, logged } = await startTestServer(t, { findConsole: async () => join(directory, 'built') });
    const headers = { host: `127.0.0.1:${server.port}`, authorization: `Bearer ${adminToken}` };
    assert.equal((await sendRawRequest(server, '/console/app.js', { headers })).body, 'the script');
    for (const base of [
      '/console',
      '/api/results',
      '/api/calls',
      '/api/sessions',
      '/api/servers',
      '/api/tools',
      '/mcp',
      '/docs',
      '',
    ])
      for (const path of [...climbs, ...deeper]) {
        const { status, body } = await sendRawRequest(server, `${base}/${path}`, { headers });
        assert.doesNotMatch(body, /root:/, `${base}/${path}`);
        assert.ok(status >= 300 && status < 500, `${status} for ${base}/${path}`);
      }
    assert.deepEqual(logged, []);
  });

  test('is no name of a server, and no kept result', async (t) => {
    for (const name of ['../evil', 'a/b', '..', '.', 'a\\b', 'a\0b', '%2e%2e', ''])
      assert.throws(() => localServer({ name, tools: [] }), { code: 'name-invalid' }, name);
    const box = await createSignalbox({ data: scratch(t) });
    t.after(() => box.close());
    for (const path of [...climbs, ...deeper, 'signalbox.db'])
      for (const uri of [`signalbox://results/${path}`, `file:///${path}`, path])
        await assert.rejects(box.journal.result(uri), { code: 'result-unknown' }, uri);
  });
});
