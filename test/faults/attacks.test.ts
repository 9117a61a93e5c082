import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { npmProgram } from '../../src/host/servers/external-transport.ts';
import { connectCommands } from '../../src/server/connect-commands.ts';
import { type McpTransport, createSignalbox, localServer, mcpServer } from '../../src/index.ts';
import { bundledFixture } from '../mcp-servers/bundled-fixture.ts';
import { adminToken, sendRawRequest, startTestServer } from '../support/http/http-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Texts that a shell would interpret: each would create a file. */
function shellTexts(directory: string): string[] {
  const touch = `touch ${directory}/executed`;
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
    `> ${directory}/executed`,
  ];
}

describe('shell text', () => {
  test('is only an argument, an environment variable, a tool argument or a tool name to the started program', async (t) => {
    const directory = temporaryDirectory(t);
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
      const echoed = await box.call('mcp__fixture__echo', { text });
      assert.deepEqual(echoed.content, [{ type: 'text', text }]);
      const { content } = await box.call('mcp__fixture__environment');
      const shown = content[0] as { text: string };
      assert.equal((JSON.parse(shown.text) as Record<string, string>)['HOSTILE'], text);
      assert.equal((await box.call(`mcp__fixture__${text}`)).outcome, 'denied');
      await box.close();
    }
    assert.deepEqual(readdirSync(directory), []);
  });

  test('does not start a program as its name or its directory', async (t) => {
    const directory = temporaryDirectory(t);
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

  test('is one argument of npx, even as the name of a package', (t) => {
    const directory = temporaryDirectory(t);
    for (const text of [...shellTexts(directory), '../../evil@1.0.0', '--eval=process.exit()']) {
      const { command, args } = npmProgram(text, [text], directory);
      assert.deepEqual([command, args], ['npx', ['-y', text, text]]);
    }
  });

  test('stays a file name in the lines that people paste into a shell', (t) => {
    const directory = temporaryDirectory(t);
    const token = 'sbx_of-the-agents';
    for (const text of shellTexts(directory)) {
      const file = join(directory, 'tokens', text.replaceAll('/', '_'));
      mkdirSync(join(directory, 'tokens'), { recursive: true });
      writeFileSync(file, token);
      for (const { command } of connectCommands('http://127.0.0.1:4242', file)) {
        const output = execFileSync('sh', ['-c', command.replace(/^\S+/, 'printf "%s\\n"')], {
          encoding: 'utf8',
          cwd: directory,
        });
        assert.ok(output.includes(`Bearer ${token}`), `${command}\n${output}`);
      }
    }
    assert.equal(existsSync(join(directory, 'executed')), false);
    assert.deepEqual(readdirSync(directory), ['tokens']);
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

describe('path that leads outside', () => {
  test('is not a file of the console, nor a result, call, session, server, profile or tool', async (t) => {
    const directory = temporaryDirectory(t);
    mkdirSync(join(directory, 'built', 'console'), { recursive: true });
    writeFileSync(join(directory, 'built', 'index.html'), 'the page');
    writeFileSync(join(directory, 'built', 'console', 'app.js'), 'the script');
    for (const path of ['secret.txt', 'built/secret.txt']) writeFileSync(join(directory, path), 'root:secret');
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

  test('is not a server name, nor a stored result', async (t) => {
    for (const name of ['../evil', 'a/b', '..', '.', 'a\\b', 'a\0b', '%2e%2e', ''])
      assert.throws(() => localServer({ name, tools: [] }), { code: 'name-invalid' }, name);
    const box = await createSignalbox({ data: temporaryDirectory(t) });
    t.after(() => box.close());
    for (const path of [...climbs, ...deeper, 'signalbox.db'])
      for (const uri of [`signalbox://results/${path}`, `file:///${path}`, path])
        await assert.rejects(box.journal.result(uri), { code: 'result-unknown' }, uri);
  });
});
