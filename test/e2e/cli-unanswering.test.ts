import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import { until } from '../mcp-servers/boxed.ts';
import { fixtureProgram } from '../mcp-servers/programs.ts';
import { countMarkedProcesses } from '../support/processes/marked-processes.ts';
import { CliProject, waitForExit, waitForOutput } from './cli-project.ts';

const { command, args } = fixtureProgram();
let marks = 0;

/** Creates a server that never answers, forks, and ignores the end of its input; `running` counts its processes. */
function createHangingServer(): { project: CliProject; running: () => number } {
  const mark = `75${process.pid}${(marks += 1)}`;
  const hang = { command: '/bin/sh', args: ['-c', `sleep ${mark} & exec sleep ${mark}`] };
  const project = new CliProject({ 'signalbox.config.json': JSON.stringify({ mcpServers: { hang } }) });
  return { project, running: () => countMarkedProcesses(mark) };
}

const onLinux = { skip: process.platform !== 'linux' && 'reads /proc' };

suite('server that never answers', onLinux, () => {
  test('does not block tools and doctor, which show that it is being connected to', async () => {
    const { project, running } = createHangingServer();
    const [tools, doctor] = await Promise.all([project.run(['tools', '--why']), project.run(['doctor'])]);
    assert.equal(tools.code, 0, tools.stderr);
    assert.match(tools.stdout, /^hang is connecting, since [^:]+:[^:]+(?::\d+)?$/m);
    assert.equal(doctor.code, 1);
    assert.match(doctor.stdout, /server "hang" is still starting\n +fix: check that it is an MCP server/);
    assert.equal(running(), 0);
  });

  for (const signal of ['SIGHUP', 'SIGTERM'] as const) {
    test(`is connecting for serve, and leaves no process at ${signal}`, async () => {
      const { project, running } = createHangingServer();
      const child = project.start(['serve', '--port', '0']);
      const ended = waitForExit(child);
      await waitForOutput(child.stdout, /Servers +1 up, 1 connecting · /);
      await until(() => running() === 2, 'the server runs');
      child.kill(signal);
      assert.equal((await ended).code, 0);
      assert.equal(running(), 0);
    });
  }

  test('leaves no process when SIGHUP cancels a call of its tools, or Ctrl-C ends a listing', async () => {
    for (const [words, signal, code] of [
      [['call', 'hang/any'], 'SIGHUP', 1],
      [['tools'], 'SIGINT', 130],
    ] as const) {
      const { project, running } = createHangingServer();
      const child = project.start(words);
      const ended = waitForExit(child);
      await until(() => running() === 2, 'the server runs');
      child.kill(signal);
      const { code: actual, stderr } = await ended;
      assert.equal(actual, code, stderr);
      await until(() => running() === 0, 'the server is gone');
    }
  });

  test('ends at once, with the command, at a second signal', async () => {
    const { project, running } = createHangingServer();
    const child = project.start(['serve', '--port', '0']);
    const ended = waitForExit(child);
    await waitForOutput(child.stdout, /Policy/);
    await until(() => running() === 2, 'the server runs');
    child.kill('SIGTERM');
    await waitForOutput(child.stderr, /stopping: closing/);
    child.kill('SIGHUP');
    assert.equal((await ended).code, 129);
    await until(() => running() === 0, 'the server is gone');
  });
});

suite('signalbox call', () => {
  const slow = { command: '/bin/sh', args: ['-c', 'sleep 4; exec "$0" "$@"', command, ...(args ?? [])] };

  for (const tool of ['good/echo', 'mcp__good__echo', 'echo'])
    test(`waits only for the server that it needs (${tool})`, async () => {
      const project = new CliProject({
        'signalbox.config.json': JSON.stringify({ mcpServers: { slow, good: { command, args } } }),
      });
      const { code, stdout, stderr } = await project.run(['call', tool, '{"text":"here"}']);
      // With both servers up, "echo" alone would be the name of two tools.
      assert.deepEqual([code, stdout], [0, 'here\n'], stderr);
    });
});

suite('signalbox doctor', () => {
  test('suggests another fix for a failing server than for a misconfigured one', async (t) => {
    const failing = createServer((_request, response) => void response.writeHead(503).end()).listen(0, '127.0.0.1');
    t.after(() => failing.close().closeAllConnections());
    await once(failing, 'listening');
    const url = `http://127.0.0.1:${(failing.address() as AddressInfo).port}/mcp`;
    const project = new CliProject({
      'signalbox.config.json': JSON.stringify({
        mcpServers: {
          failing: { url },
          away: { url: 'http://127.0.0.1:1/mcp' },
          good: { command, args, tools: { deny: ['nothing_*'] } },
        },
      }),
    });
    const { stdout } = await project.run(['doctor']);
    assert.match(stdout, /answered with HTTP 503.*\n +fix: try again, or ask its operator/);
    assert.match(stdout, /ECONNREFUSED.*\n +fix: correct mcpServers\.away/);
    assert.match(stdout, /"nothing_\*".* matches no tool.*\n +fix: correct it in mcpServers\.good\.tools/);
  });
});

suite('configuration', () => {
  test('a value that is read in another sense is reported on standard error when a box is opened', async () => {
    const mcpServers = { web: { type: 'websocket', url: 'http://127.0.0.1:1/mcp' } };
    const project = new CliProject({ 'signalbox.config.json': JSON.stringify({ mcpServers }) });
    for (const words of [['tools'], ['call', 'ping'], ['lock', 'check']]) {
      const { stdout, stderr } = await project.run(words);
      assert.match(stderr, /warning: mcpServers.web: type "websocket" is read as "http"/);
      assert.doesNotMatch(stdout, /websocket/);
    }
    assert.deepEqual((await project.run(['tools', '--json'])).stderr, '');
  });

  test('all references that cannot be resolved are reported at once, each with its line', async () => {
    const text = `{ "mcpServers": { "a": {
      "command": "x",
      "args": ["\${NO_ARGUMENT}"],
      "env": {
        "A.B": "\${NO_VARIABLE}\${NOR_THIS}" } } } }`;
    const { stdout } = await new CliProject({ 'signalbox.config.json': text }).run(['doctor']);
    for (const [line, name] of [
      [3, 'NO_ARGUMENT'],
      [5, 'NO_VARIABLE'],
    ])
      assert.match(
        stdout,
        new RegExp(`signalbox.config.json:${line}: \\S+ refers to the environment variable ${name}, which is not set`),
      );
    assert.match(stdout, /refers to the environment variable NOR_THIS, which is not set/);
  });

  test('a URL that is not HTTP is reported with its location', async () => {
    const text = '{ "mcpServers": {\n  "a": { "url": "ftp://user:planted@example.org" } } }';
    const { code, stderr } = await new CliProject({ 'signalbox.config.json': text }).run(['tools']);
    assert.equal(code, 2);
    assert.match(stderr, /signalbox\.config\.json:2:10 {2}mcpServers\.a\.url: .*http/);
    assert.doesNotMatch(stderr, /planted/);
  });
});
