import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, suite, test } from 'node:test';
import { processStart } from '../../src/host/daemon/run-files.ts';
import { until } from '../mcp-servers/boxed.ts';
import { CliProject, waitForExit, onTerminal, waitForOutput } from './cli-project.ts';

const desk = `
import { defineTool, localServer } from 'signalbox';
console.error('desk runs in ' + process.pid);
const where = defineTool({ name: 'where', description: 'Where.', effect: 'read', run: () => String(process.pid) });
const write = defineTool({ name: 'write', description: 'Writes.', effect: 'irreversible', run: () => 'written by ' + process.pid });
const steps = defineTool({
  name: 'steps', description: 'Steps.', effect: 'read',
  async run(_args, { client, signal }) {
    client.log?.({ level: 'info', data: 'on it' });
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
});
const ask = defineTool({
  name: 'ask', description: 'Asks.', effect: 'read',
  async run(_args, { client }) {
    if (client.elicit === undefined) throw new Error('nobody can be asked');
    return JSON.stringify(await client.elicit({ mode: 'url', message: 'Agree there.', url: 'https://example.org/a' }));
  },
});
export default localServer({ name: 'desk', tools: [where, write, steps, ask] });`;
const files = {
  'desk.ts': desk,
  'signalbox.config.json': JSON.stringify({ mcpServers: { desk: { module: './desk.ts' } } }),
};
const user = `user:${userInfo().username}`;

async function listEntries(project: CliProject): Promise<Record<string, unknown>[]> {
  return (await project.json(['journal', '--limit', '100']))['items'] as Record<string, unknown>[];
}

describe('commands with a running server', () => {
  test('without a configuration, tools lists the tools of the server, demo tools can be called and undone, and status shows the server', async () => {
    const project = new CliProject();
    const { url } = await project.serve();
    const otherProject = new CliProject();
    const run = (args: readonly string[]): ReturnType<CliProject['run']> =>
      otherProject.run(args, { environment: { SIGNALBOX_HOME: project.data } });
    const { items } = JSON.parse((await run(['tools', '--json'])).stdout) as { items: { name: string }[] };
    const names = items.map(({ name }) => name);
    assert.ok(names.includes('mcp__demo__write_note') && names.includes('mcp__signalbox__create_job'), names.join());
    const local = JSON.parse((await run(['tools', '--json', '--local'])).stdout) as { items: unknown[] };
    assert.ok(local.items.length < items.length);

    const write = ['call', 'write_note', '{"name":"a","text":"hello"}', '--session', 's1', '--json'];
    const pending = JSON.parse((await run(write)).stdout) as { outcome: string; approvalId: string };
    assert.equal(pending.outcome, 'awaiting-approval');
    assert.equal((await run(['approve', pending.approvalId])).code, 0);
    const written = JSON.parse((await run(write)).stdout) as { outcome: string; callId: string; changes: unknown[] };
    assert.equal(written.outcome, 'completed');
    assert.equal(written.changes.length, 1);
    const undone = await run(['undo', written.callId, '--json']);
    assert.deepEqual([undone.code, (JSON.parse(undone.stdout) as { outcome: string }).outcome], [0, 'undone']);

    const status = await run(['status']);
    assert.ok(status.stdout.includes(url), status.stdout);
    assert.match(status.stdout, /Config +none \(.*signalbox\.config\.json does not exist\)/);
    assert.doesNotMatch((await run(['status', '--json'])).stdout, /"key"/);
    const doctor = await run(['doctor']);
    assert.match(
      doctor.stdout,
      new RegExp(`ok +server at ${url} .* is ready and offers ${items.length} tools; commands go to it`),
    );
  });

  test('calls run in the server, as the user of this machine or as the agent of --as, and are recorded once', async () => {
    const project = new CliProject(files);
    const { pid } = await project.serve();
    assert.equal((await project.run(['call', 'where'])).stdout, `${pid}\n`);
    assert.equal((await project.run(['call', 'desk/where', '--as', 'büro'])).stdout, `${pid}\n`);
    const local = await project.run(['call', 'where', '--local']);
    assert.equal(local.code, 0, local.stderr);
    assert.notEqual(local.stdout, `${pid}\n`);
    const calls = (await listEntries(project)).filter(({ type }) => type === 'ToolInvoked');
    assert.deepEqual(
      calls.map(({ principal }) => principal),
      [
        { id: user, kind: 'human' },
        { id: 'büro', kind: 'agent' },
        { id: user, kind: 'human' },
      ],
    );
    assert.equal((await project.run(['call', 'wher'])).code, 1, 'an unknown tool is an outcome');
  });

  test('a call is answered on the terminal, in the name of the user of this machine', onTerminal, async () => {
    const project = new CliProject(files);
    const { pid } = await project.serve();
    const { stdout } = await project.dialogue(['call', 'write'], [[/asks because: .*Run it\? \[y\/N\] /s, 'y\r']]);
    assert.match(stdout, new RegExp(`written by ${pid}`));
    const { stdout: refused } = await project.dialogue(['call', 'write'], [[/Run it\? \[y\/N\] /, 'n\r']]);
    assert.match(refused, /denied at the terminal/);
    const answers = (await listEntries(project)).filter(({ type }) => type === 'ApprovalResolved');
    assert.deepEqual(
      answers.map(({ decision, by }) => [decision, by]),
      [
        ['approved', { id: user, kind: 'human' }],
        ['denied', { id: user, kind: 'human' }],
      ],
    );
  });

  test('a tool can elicit on a terminal, but not without one', onTerminal, async () => {
    const project = new CliProject(files);
    await project.serve();
    const { stdout } = await project.dialogue(['call', 'ask'], [[/Agree there\.[^]*opened it\? \[y\/N\] /, 'y\r']]);
    assert.match(stdout, /\{"action":"accept"\}/);
    assert.match((await project.run(['call', 'ask'])).stderr, /nobody can be asked/);
  });

  test('Ctrl-C cancels the call at the server, and its outcome is printed and recorded', async () => {
    const project = new CliProject(files);
    await project.serve();
    const child = project.start(['call', 'steps', '--json']);
    const ended = waitForExit(child);
    await waitForOutput(child.stderr, /on it/);
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    const { outcome, callId } = JSON.parse(stdout) as { outcome: string; callId: string };
    assert.deepEqual([code, outcome], [1, 'cancelled']);
    const call = (await listEntries(project)).find(
      (entry) => entry['callId'] === callId && entry['type'] === 'ToolInvoked',
    );
    assert.equal(call?.['outcome'], 'cancelled');
  });

  test('status and doctor name a server that is down once, and a missing --config is only reported as missing', async () => {
    const configuration = JSON.stringify({ mcpServers: { gone: { command: 'no-such-program' } } });
    const project = new CliProject({ 'signalbox.config.json': configuration });
    const { stop } = await project.serve();
    const isDown = async (): Promise<boolean> => / down gone: /.test((await project.run(['status'])).stdout);
    await until(isDown, 'the server is down');
    assert.match((await project.run(['status'])).stdout, /^ +down gone: the program "no-such-program" was not found/m);
    const { stdout } = await project.run(['doctor']);
    assert.equal(stdout.match(/server "gone" is down/g)?.length, 1, stdout);
    const { code, stderr } = await project.run(['call', 'ping', '--config', 'nope.json']);
    assert.equal(code, 2);
    assert.match(stderr, /^error configuration-unreadable: .*/);
    await stop();
  });

  test('a command with another configuration, by --config or a nearer file, works without the server and reports it', async () => {
    const project = new CliProject(files);
    const { url, pid } = await project.serve();
    const other = new CliProject(files);
    const environment = { SIGNALBOX_HOME: project.data };
    const note = new RegExp(
      `^note: the server at ${url} runs another configuration \\(.*\\); this command works without it`,
    );
    for (const [caller, args] of [
      [other, ['call', 'where']],
      [project, ['call', 'where', '--config', join(other.directory, 'signalbox.config.json')]],
    ] as const) {
      const { code, stdout, stderr } = await caller.run(args, { environment });
      assert.equal(code, 0, stderr);
      assert.notEqual(stdout, `${pid}\n`);
      assert.match(stderr, note);
    }
    const named = ['call', 'where', '--config', join(project.directory, 'signalbox.config.json')];
    assert.equal((await other.run(named, { environment })).stdout, `${pid}\n`);
  });

  test('commands that only read record nothing; the start of a server records only its token and its sign-in link', async () => {
    const project = new CliProject(files);
    await project.serve();
    const first = await listEntries(project);
    const before = first.map(({ type }) => type);
    assert.deepEqual(new Set(before), new Set(['AuthorityChanged', 'TokenCreated']));
    const records = first.flatMap((entry) => (entry['records'] ?? []) as { kind: string }[]);
    assert.deepEqual(
      records.map(({ kind }) => kind),
      ['sign-in-link'],
    );
    for (const args of [['tools'], ['approvals'], ['approvals', 'rules'], ['status'], ['token', 'list'], ['journal']]) {
      assert.equal((await project.run(args)).code, 0, args.join(' '));
      assert.equal((await project.run([...args, '--local'])).code, 0, args.join(' '));
    }
    assert.deepEqual(
      (await listEntries(project)).map(({ type }) => type),
      before,
    );
  });
});

suite('run file', () => {
  test('is private, and its key is rejected without a principal', async () => {
    const project = new CliProject();
    const { url, pid } = await project.serve();
    const directory = join(project.data, 'running');
    assert.deepEqual(readdirSync(directory), [`${pid}.json`]);
    const file = join(directory, `${pid}.json`);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const { key } = JSON.parse(readFileSync(file, 'utf8')) as { key: string };
    const info = async (principal?: string): Promise<unknown> => {
      const headers = {
        authorization: `Bearer ${key}`,
        ...(principal === undefined ? {} : { 'signalbox-principal': principal }),
      };
      const response = await fetch(`${url}/api/info`, { headers });
      return [response.status, ((await response.json()) as { reader?: unknown }).reader];
    };
    assert.deepEqual(await info('human user%3Aada'), [200, { id: 'user:ada', role: 'admin' }]);
    for (const wrong of [undefined, '', 'system serve', 'human', 'human %E0%A4%A', `human ${'a'.repeat(2000)}`])
      assert.deepEqual(await info(wrong), [400, undefined], wrong);
  });

  test('is ignored, and nothing is sent, if it is of a killed server or another machine, is readable by others, or has another protocol or role', async (t) => {
    const project = new CliProject(files);
    const requests: string[] = [];
    const otherProgram = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.end('{}');
    });
    t.after(() => otherProgram.close());
    otherProgram.listen(0, '127.0.0.1');
    await once(otherProgram, 'listening');
    const { port } = otherProgram.address() as AddressInfo;
    const directory = join(project.data, 'running');
    mkdirSync(directory, { recursive: true });
    const own = {
      url: `http://127.0.0.1:${port}`,
      pid: process.pid,
      startedAt: new Date().toISOString(),
      key: 'k'.repeat(43),
    };
    const write = (server: object, mode = 0o600): void => {
      const file = join(directory, 'other.json');
      writeFileSync(file, JSON.stringify({ ...own, ...processStart(process.pid), ...server }));
      chmodSync(file, mode);
    };
    for (const [server, mode] of [
      [{ begun: 'before' }, 0o600],
      [{}, 0o644],
      [{ url: `https://127.0.0.1:${port}` }, 0o600],
      [{ url: 'http://192.0.2.1:80' }, 0o600],
      [{ role: 'worker' }, 0o600],
    ] as const) {
      write(server, mode);
      const { code, stderr } = await project.run(['call', 'where']);
      assert.equal(code, 0, stderr);
    }
    assert.deepEqual(requests, []);
    write({});
    const { code, stderr } = await project.run(['call', 'where']);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /does not answer \(another program answers at this address\); this command works without it/);
    assert.deepEqual(requests, ['/api/info'], 'nothing else is sent to another program');
  });
});
