import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import type { JobRecord } from '../../src/journal/store/job-store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import { until } from '../mcp-servers/boxed.ts';
import { type CliServer, CliProject } from './cli-project.ts';

const everything = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const token = 'a-token-for-the-test';

suite('jobs of signalbox serve', () => {
  test('run in a session, once with two servers on one store, and not again after a restart', async (t) => {
    const project = new CliProject();
    const store = sqliteStore({ file: join(project.data, 'signalbox.db') });
    t.after(() => store.close());
    const job: JobRecord = {
      id: 'job_1',
      owner: '{"id":"token:admin","kind":"human"}',
      ownerId: 'token:admin',
      text: JSON.stringify({ cron: '0 0 1 1 *', timezone: 'UTC', prompt: 'ping the server', agent: 'demo' }),
      createdAt: Date.now() - 120_000,
      nextAt: Date.now() - 60_000,
      lastAt: 0,
      lastSession: '',
      lastError: '',
    };
    await store.jobs.add(job, 9);
    const start = (): Promise<CliServer> => project.serve({ SIGNALBOX_TOKEN: token });
    const servers = await Promise.all([start(), start()]);
    let session = '';
    const poll = setInterval(() => void store.jobs.get(job.id).then((now) => (session = now?.lastSession ?? '')), 50);
    await until(() => session !== '', 'the job has a session', 20_000);
    clearInterval(poll);
    await Promise.all(servers.map(({ stop }) => stop()));

    const again = await start();
    const response = await fetch(`${again.url}/api/tools/mcp__signalbox__list_jobs/call`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const { structuredContent } = (await response.json()) as {
      structuredContent: { jobs: { lastSession: string; lastError?: string; nextAt: string }[] };
    };
    assert.deepEqual(
      structuredContent.jobs.map(({ lastSession, lastError, nextAt }) => [lastSession, lastError, nextAt.slice(4)]),
      [[session, undefined, '-01-01T00:00:00.000Z']],
    );
    await again.stop();
    assert.equal(await store.sessions.count(), 1);
  });

  test('messages that were queued before the start find the tools of every server', async (t) => {
    const mcpServers = { every: { command: process.execPath, args: [everything] } };
    const project = new CliProject({ 'signalbox.config.json': JSON.stringify({ mcpServers }) });
    const store = sqliteStore({ file: join(project.data, 'signalbox.db') });
    t.after(() => store.close());
    const [by, now] = [{ id: 'token:admin', kind: 'human' } as const, Date.now()];
    const about = { id: 'sess_1', agent: 'demo', runtime: 'model', model: 'demo', title: '', cwd: project.directory };
    await store.sessions.create({
      ...about,
      permissionMode: 'default',
      owner: by,
      createdAt: now,
      activeAt: now,
      forkedFrom: '',
      lastTurn: '',
    });
    await store.sessions.queue({
      id: 'turn_1',
      session: 'sess_1',
      content: 'hi',
      by,
      at: now,
      title: 'hi',
      maxWaiting: 9,
    });
    const { stop } = await project.serve({ SIGNALBOX_TOKEN: token });
    let status: string | undefined;
    const poll = setInterval(
      () => void store.sessions.events('sess_1', 1, 1).then(([event]) => (status = event?.body)),
      50,
    );
    await until(() => status !== undefined, 'the start of the turn', 20_000);
    clearInterval(poll);
    const { servers } = JSON.parse(status ?? '') as { servers: { name: string; status: string; tools: number }[] };
    assert.deepEqual(
      servers.map(({ name, status: state, tools }) => [name, state, tools > 10]),
      [
        ['signalbox', 'up', true],
        ['every', 'up', true],
      ],
    );
    await stop();
  });
});

suite('signalbox jobs', () => {
  test('creates, lists, runs and deletes jobs at the running server, on behalf of the user of this machine', async (t) => {
    const project = new CliProject();
    const { stop } = await project.serve();
    t.after(stop);
    const definition = ['0 0 1 1 *', 'ping the server'];
    const created = await project.json([
      'jobs',
      'create',
      ...definition,
      '--agent',
      'demo',
      '--timezone',
      'UTC',
      '--cwd',
      '.',
    ]);
    const id = String(created['id']);
    assert.deepEqual(
      [created['cron'], created['prompt'], created['timezone'], created['cwd'], created['owner']],
      [...definition, 'UTC', realpathSync(project.directory), { id: `user:${userInfo().username}`, kind: 'human' }],
    );
    const ran = await project.json(['jobs', 'run', id.replace('job_', '')]);
    assert.match(String(ran['lastSession']), /./);
    const listed = await project.run(['jobs']);
    assert.match(listed.stdout, /^ID .*TIMES .*NEXT .*PROMPT/);
    assert.ok(listed.stdout.includes(id) && listed.stdout.includes('ping the server'), listed.stdout);
    assert.deepEqual((await project.json(['jobs', 'delete', id]))['id'], id);
    assert.deepEqual((await project.json(['jobs']))['items'], []);
    const unknown = await project.run(['jobs', 'run', id]);
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /job-unknown: no job id begins with .*\n  next: signalbox jobs\n/);
  });

  test('creates, lists and deletes jobs without a server, and needs one to run a job', async () => {
    const project = new CliProject();
    const { code, stdout, stderr } = await project.run(['jobs', 'create', '0 9 * * 1-5', 'ping the server']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^created job_\w+; it runs next at /);
    assert.match(stderr, /jobs run only while signalbox serve does/);
    const [job] = (await project.json(['jobs']))['items'] as { id: string }[];
    const run = await project.run(['jobs', 'run', job?.id ?? '']);
    assert.equal(run.code, 1);
    assert.match(run.stderr, /server-absent: .*\n  next: signalbox serve\n/);
    for (const [wrong, expected] of [
      [['never', 'x'], /job-invalid/],
      [['0 9 * * *', 'x', '--agent', 'nobody'], /agent-unknown: .*nobody/],
    ] as const) {
      const refused = await project.run(['jobs', 'create', ...wrong]);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, expected);
    }
    assert.equal((await project.run(['jobs', 'delete', job?.id ?? ''])).code, 0);
    assert.deepEqual((await project.json(['jobs']))['items'], []);
  });
});
