import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { findExecutable } from '../../src/runtimes/claude/shared/installation.ts';
import { claudeEnvironment } from '../support/runtime/claude.ts';
import { bundledFixture } from '../mcp-servers/bundled-fixture.ts';
import { CliProject, waitForExit, launcher, waitForOutput, notesProject } from './cli-project.ts';

function isAlive(pid: number | undefined): boolean {
  try {
    return process.kill(pid ?? 0, 0);
  } catch {
    return false;
  }
}

suite('signalbox serve', () => {
  test('prints the banner, serves requests, and exits with 0 on SIGTERM', async () => {
    const project = new CliProject(notesProject);
    const child = project.start(['serve', '--port', '0']);
    const ended = waitForExit(child);
    const banner = await waitForOutput(child.stdout, /Policy .*\n/);
    assert.match(banner, /^Signalbox \d+\.\d+\.\d+ {3}ready in \d+\.\d s\n/);
    assert.match(banner, /^ {2}Console +http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/m);
    assert.match(banner, /^ {2}MCP +http:\/\/127\.0\.0\.1:\d+\/mcp +API docs +http:\/\/127\.0\.0\.1:\d+\/docs$/m);
    assert.match(banner, /^ {2}Journal +.*signalbox\.db$/m);
    assert.match(banner, /^ {2}Servers +2 up · 15 tools$/m);
    assert.match(
      banner,
      /^ {2}Policy +reads run · undoable writes ask once in a session · irreversible calls always ask   →  signalbox approvals$/m,
    );
    const token = readFileSync(join(project.data, 'token'), 'utf8').trim();
    assert.ok(!banner.includes(token), 'the admin token is not shown');

    const [, url = ''] = /(http:\/\/127\.0\.0\.1:\d+)\/docs/.exec(banner) ?? [];
    assert.equal((await fetch(`${url}/api/health`)).status, 200);
    const called = await fetch(`${url}/api/tools/mcp__notes__list/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"arguments":{}}',
    });
    assert.deepEqual(((await called.json()) as { structuredContent: unknown }).structuredContent, ['milk']);

    child.kill('SIGTERM');
    const { code, stderr } = await ended;
    assert.equal(code, 0);
    assert.match(stderr, /stopping: no new requests[^]*stopping: closing servers and journal\nstopped\n$/);
    assert.equal(isAlive(child.pid), false);
    const { items } = (await project.json(['journal', '--tool', 'notes/list'])) as { items: unknown[] };
    assert.equal(items.length, 1, 'the call is in the journal');
  });

  test('prints a command that connects Claude Code', async (t) => {
    const project = new CliProject();
    const home = join(project.directory, 'home');
    mkdirSync(home);
    const server = project.start(['serve', '--port', '0', '--data', join(home, "it's data")], { HOME: home });
    t.after(() => server.kill('SIGKILL'));
    const banner = await waitForOutput(server.stdout, /Policy .*\n/);
    const [, line = ''] = /^ {2}Connect +claude (mcp add --transport http signalbox .*)$/m.exec(banner) ?? [];
    assert.ok(!line.includes('sbx_'), 'no token is shown');
    const claude = `'${findExecutable() ?? ''}'`;
    const env = claudeEnvironment('http://127.0.0.1:9', home);
    const { stdout, stderr } = await waitForExit(
      spawn('sh', ['-c', `${claude} ${line} && ${claude} mcp list`], { cwd: project.directory, env }),
    );
    assert.match(stdout, /^signalbox: .*\/mcp \(HTTP\) - . Connected$/m, stderr);
    const ended = waitForExit(server);
    server.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });

  test('has the same admin token after a restart, readable only by its owner', async () => {
    const project = new CliProject();
    const file = join(project.data, 'token');
    const tokens = [];
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const child = project.start(['serve', '--port', '0', '--json']);
      const ended = waitForExit(child);
      const ready = JSON.parse(await waitForOutput(child.stdout, /\n/)) as {
        url: string;
        port: number;
        signInUrl: string;
      };
      assert.ok(ready.port > 0 && ready.signInUrl.startsWith(`${ready.url}/?token=`));
      tokens.push(readFileSync(file, 'utf8'));
      child.kill(signal);
      assert.equal((await ended).code, 0);
    }
    assert.equal(tokens[0], tokens[1]);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  test('refuses a port that was asked for and is taken, with the next step', async () => {
    const project = new CliProject();
    const { port, stop } = await project.serve();
    const { code, stdout, stderr } = await project.run(['serve', '--port', String(port), '--force']);
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(stderr, new RegExp(`error usage: port ${port} on 127\\.0\\.0\\.1 is taken by another program`));
    assert.match(stderr, /^ {2}next: signalbox status shows running servers; .*--port 0$/m);
    await stop();
  });

  test('takes the next free port if the default port is taken, and reports it; the built-in server knows the port', async (t) => {
    const project = new CliProject();
    const token = 'a-token-for-the-test';
    // Another program may have the port already.
    const first = createServer().listen(4242, '127.0.0.1');
    await once(first, 'listening').catch(() => undefined);
    t.after(() => first.close());
    const port = 4242;
    const second = project.start(['serve', '--json'], { SIGNALBOX_TOKEN: token });
    const warning = waitForOutput(second.stderr, /is taken; using \d+/);
    const ready = JSON.parse(await waitForOutput(second.stdout, /\n/)) as { port: number; url: string };
    assert.ok(ready.port > port);
    assert.match(await warning, new RegExp(`port ${port} is taken; using ${ready.port}`));
    const called = await fetch(`${ready.url}/api/tools/mcp__signalbox__get_server_info/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const { structuredContent } = (await called.json()) as { structuredContent: { port: number } };
    assert.equal(structuredContent.port, ready.port);
    const ended = waitForExit(second);
    second.kill('SIGTERM');
    assert.equal((await ended).code, 0);
  });

  test('logs a server that ends and is started again', async (t) => {
    const configuration = { mcpServers: { fixture: { command: process.execPath, args: [bundledFixture] } } };
    const project = new CliProject({ 'signalbox.config.json': JSON.stringify(configuration) });
    const token = 'a-token-for-the-test';
    const { url, child, stop } = await project.serve({ SIGNALBOX_TOKEN: token });
    t.after(stop);
    const logged = waitForOutput(child.stderr, /server "fixture" was restarted: its process ended with exit code 3\n/);
    const call = (tool: string): Promise<Response> =>
      fetch(`${url}/api/tools/mcp__fixture__${tool}/call`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ arguments: { text: 'hello' } }),
      });
    await call('echo');
    // The log starts with the state of the servers after their start.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await call('act');
    await call('die');
    await logged;
  });

  test('offers the demo agent and one tool of each effect until a configuration is written', async () => {
    const project = new CliProject();
    const token = 'a-token-for-the-test';
    const { url, agents, child, stop } = await project.serve({ SIGNALBOX_TOKEN: token });
    assert.deepEqual(agents, ['demo']);
    const effects = async (): Promise<string[]> => {
      const response = await fetch(`${url}/api/tools`, { headers: { authorization: `Bearer ${token}` } });
      const { items } = (await response.json()) as { items: { name: string; effect: string }[] };
      return items.filter(({ name }) => name.startsWith('mcp__demo__')).map(({ effect }) => effect);
    };
    assert.deepEqual(await effects(), ['read', 'undoable', 'irreversible']);
    const changed = waitForOutput(child.stderr, /configuration changed: [^\n]*\n/);
    writeFileSync(
      join(project.directory, 'signalbox.config.json'),
      JSON.stringify({ agents: { own: { runtime: 'model', model: 'demo' } } }),
    );
    assert.match(await changed, /changed the agents/);
    assert.deepEqual(await effects(), []);
    await stop();
  });

  test('warns about a host that other machines can reach', async () => {
    const child = new CliProject().start(['serve', '--port', '0', '--host', '0.0.0.0']);
    const ended = waitForExit(child);
    await waitForOutput(child.stdout, /Policy/);
    child.kill('SIGTERM');
    assert.match((await ended).stderr, /warning: other machines can reach this server on 0\.0\.0\.0/);
  });
});

suite('signalbox doctor', () => {
  test('finds no errors in a fresh clone', async () => {
    const { items } = (await new CliProject().json(['doctor'])) as { items: { level: string; what: string }[] };
    assert.ok(items.length >= 5);
    assert.deepEqual(
      items.filter((item) => item.level === 'error'),
      [],
    );
    assert.ok(
      items.some((item) => item.what.startsWith('Node ')) && items.some((item) => item.what.startsWith('SQLite ')),
    );
  });

  test('reports each finding with its fix: configuration, data directory, servers, schemas, secrets', async () => {
    const mcpServers = { notes: { module: './notes.ts' }, gone: { module: './gone.ts' } };
    const project = new CliProject({
      ...notesProject,
      'signalbox.config.json': JSON.stringify({ mcpServers, secrets: ['NOT_THERE', 'SHORT'] }),
    });
    mkdirSync(project.data);
    chmodSync(project.data, 0o755);
    const { code, stdout } = await project.run(['doctor', '--json'], { environment: { SHORT: 'ab' } });
    assert.equal(code, 1);
    const { items } = JSON.parse(stdout) as { items: { level: string; what: string; fix?: string }[] };
    const found = (level: string, what: RegExp): boolean =>
      items.some(
        (item) => item.level === level && what.test(item.what) && (level === 'ok') === (item.fix === undefined),
      );
    assert.ok(found('error', /server "gone" is down: there is no file/));
    assert.ok(found('ok', /server "notes" is up, 3 tools/));
    assert.ok(found('warning', /mcp__notes__odd is hidden: its input schema cannot be used/));
    assert.ok(found('warning', /NOT_THERE is not set/));
    assert.ok(found('error', /"SHORT" is shorter/));
    assert.ok(found('warning', /other users .*mode 755/));
  });

  test('reports agents that miss something, and profiles that match nothing', async () => {
    const document = {
      mcpServers: { notes: { module: './notes.ts' } },
      profiles: { calm: { servers: ['noets'], tools: ['!ad', '!mcp__claude__Bash'] } },
      agents: { gpt: { runtime: 'model', model: 'local/x', providers: { local: {} } } },
    };
    const project = new CliProject({ ...notesProject, 'signalbox.config.json': JSON.stringify(document) });
    const { code, stdout } = await project.run(['doctor']);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /^warning +profiles\.calm\.servers: there is no server "noets"; did you mean "notes"\?\n +fix: /m,
    );
    assert.match(
      stdout,
      /^warning +profiles\.calm\.tools: "!ad" matches no tool\n +fix: correct or remove the pattern/m,
    );
    assert.doesNotMatch(stdout, /mcp__claude__Bash/);
    assert.match(
      stdout,
      /^error +agent "gpt" \(model, local\/x\) cannot be used: .*not known\n +fix: use .*"baseURL"/m,
    );
    assert.match(stdout, /^ok +agent "demo" \(model, demo\) can be used$/m);
  });

  test('reports every problem of the configuration with file and line', async () => {
    const project = new CliProject({
      'signalbox.config.json': '{\n  "stroe": "sqlite",\n  "mcpServers": {\n    "a": { "modul": "x" }\n  }\n}',
    });
    const { code, stdout } = await project.run(['doctor']);
    assert.equal(code, 1);
    assert.match(stdout, /^error +signalbox\.config\.json:2:3 .*stroe.*\n +fix: did you mean "store"\?/m);
    assert.match(stdout, /^error +signalbox\.config\.json:4:12 .*modul/m);
  });
});

suite('invalid use', () => {
  const broken = { 'signalbox.config.json': '{\n  "stroe": 1\n}' };

  test('every command exits with 2 for an unusable configuration, with file, line and column', async () => {
    const project = new CliProject(broken);
    for (const args of [['tools'], ['call', 'ping'], ['serve', '--port', '0']]) {
      const { code, stdout, stderr } = await project.run(args);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(
        stderr,
        /^error configuration-invalid: .*\n {2}signalbox\.config\.json:2:3 {2}stroe: .*did you mean "store"\?\n {2}next: signalbox doctor\n$/,
      );
    }
    const { error } = (await project.json(['tools'], 2)) as {
      error: { code: string; problems: { line: number; column: number }[] };
    };
    assert.deepEqual([error.code, error.problems[0]?.line, error.problems[0]?.column], ['configuration-invalid', 2, 3]);
    const absent = await project.run(['tools', '--config', 'absent.json']);
    assert.equal(absent.code, 2);
    assert.match(absent.stderr, /configuration-unreadable[^]*absent\.json/);
  });

  test('a mistyped command or option is answered with a suggestion', async () => {
    const project = new CliProject();
    const cases: [string[], RegExp][] = [
      [['tool'], /unknown command 'tool'\n {2}Did you mean tools\?/],
      [['tools', '--wy'], /unknown option '--wy'\n {2}Did you mean --why\?/],
      [['journal', 'verfy'], /unknown command 'journal verfy'\n {2}Did you mean verify\?/],
      [['call'], /missing required argument 'tool'/],
      [['journal', '--since', 'yesterday'], /Give a duration/],
      [['journal', '--outcome', 'lost'], /Allowed choices are completed/],
      [['serve', '--port', '99999'], /A port is a number/],
    ];
    for (const [args, expected] of cases) {
      const { code, stdout, stderr } = await project.run(args);
      assert.deepEqual([code, stdout], [2, ''], args.join(' '));
      assert.match(stderr, expected);
      assert.doesNotMatch(stderr, /\n +at /, 'no stack');
    }
    const { error } = (await project.json(['tool'], 2)) as { error: { code: string; message: string } };
    assert.deepEqual([error.code, error.message], ['usage', `unknown command 'tool'`]);
  });

  test('a fault shows its stack only with SIGNALBOX_DEBUG', async () => {
    const project = new CliProject({ data: 'a file where the directory should be' });
    const quiet = await project.run(['call', 'ping']);
    assert.equal(quiet.code, 1);
    assert.doesNotMatch(quiet.stderr, /\n +at /);
    assert.match((await project.run(['call', 'ping'], { environment: { SIGNALBOX_DEBUG: '1' } })).stderr, /\n +at /);
  });

  test('--help and --version print to standard output', async () => {
    const project = new CliProject();
    const { version } = JSON.parse(readFileSync(join(launcher, '..', '..', 'package.json'), 'utf8')) as {
      version: string;
    };
    assert.deepEqual(await project.run(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
    for (const args of [['--help'], [], ['help', 'call'], ['journal', '--help']]) {
      const { code, stdout, stderr } = await project.run(args);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^Usage: signalbox [^]*Examples:/);
      assert.match(stdout, /--config <file>/);
    }
    rmSync(project.directory, { recursive: true });
  });
});
