import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { postgresStore } from '../../src/index.ts';
import { verifyChain } from '../../src/journal/integrity/hash-chain.ts';
import type { Approval } from '../../src/core/calls/approval.ts';
import { until } from '../mcp-servers/boxed.ts';
import { password, startPostgres } from '../support/postgres/postgres.ts';
import { within } from '../support/within.ts';
import { CliProject, notesModule } from './cli-project.ts';

const cluster = await startPostgres();
after(() => cluster.end());

const mcpServers = { notes: { module: './notes.ts' } };
const add = ['call', 'add', '{"text":"milk"}', '--as', 'bot'];

/** Creates a project with this store. */
function createProject(store: string): CliProject {
  return new CliProject({ 'notes.ts': notesModule, 'signalbox.config.json': JSON.stringify({ mcpServers, store }) });
}

suite('records in PostgreSQL', () => {
  test('an approval request of one machine is answered on another, and both have one valid journal', async () => {
    const address = cluster.address('shared');
    const [one, two] = [createProject(address), createProject(address)];
    const token = 'a-token-that-is-given-and-not-kept';
    const { url, journal, stop } = await one.serve({ SIGNALBOX_TOKEN: token });
    assert.match(journal, /^postgres:\/\/postgres@127\.0\.0\.1:\d+\/postgres\?schema=shared$/);
    const api = async (path: string, body?: object): Promise<Record<string, unknown>> => {
      const response = await fetch(new URL(path, url), {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
      return (await response.json()) as Record<string, unknown>;
    };
    assert.equal((await api('/api/info'))['journal'], journal);
    const called = await api('/api/tools/mcp__notes__list/call', { arguments: {} });
    assert.equal(called['outcome'], 'completed', JSON.stringify(called));

    const waiting = one.run([...add, '--wait', '80s', '--json']);
    let pending: Approval | undefined;
    const request = (async () => {
      while (pending === undefined)
        [pending] = ((await two.json(['approvals'])) as unknown as { items: Approval[] }).items;
      return pending;
    })();
    const { id } = await within(request, 'the approval request on the other machine');
    const approved = await two.run(['approve', id]);
    assert.equal(approved.code, 0, approved.stderr);
    const { stdout } = await waiting;
    assert.equal((JSON.parse(stdout) as { outcome: string }).outcome, 'completed', stdout);

    const { items } = (await two.json(['journal'])) as unknown as { items: { tool?: string }[] };
    assert.ok(
      items.some(({ tool }) => tool === 'mcp__notes__list') && items.some(({ tool }) => tool === 'mcp__notes__add'),
    );
    const verified = await two.json(['journal', 'verify']);
    assert.deepEqual([verified['ok'], Number(verified['entries']) >= 4], [true, true]);

    const doctor = await two.run(['doctor']);
    assert.match(doctor.stdout, /journal postgres:\/\/\S+ \(PostgreSQL 1\d\.\d.*\): \d+ entries, the chain is intact/);
    const { stdout: output, stderr: errors } = await stop();
    for (const text of [output, errors, doctor.stdout, doctor.stderr, stdout, JSON.stringify(items)])
      assert.doesNotMatch(text, /hunter2/);
    assert.ok(!existsSync(join(one.data, 'signalbox.db')), 'there is no journal in SQLite');
    assert.ok(existsSync(join(one.data, 'agent-token')), 'the agent token is a local file');
  });

  test('a job runs once with servers on two machines, and both find its session', async (t) => {
    const address = cluster.address('jobs');
    const store = await postgresStore({ address });
    t.after(() => store.close());
    const owner = { id: 'token:admin', kind: 'human' };
    const job = { cron: '0 0 1 1 *', timezone: 'UTC', prompt: 'ping the server', agent: 'demo' };
    const dueAt = Date.now() - 60_000;
    await store.jobs.add(
      {
        id: 'job_1',
        owner: JSON.stringify(owner),
        ownerId: owner.id,
        text: JSON.stringify(job),
        createdAt: dueAt - 60_000,
        nextAt: dueAt,
        lastAt: 0,
        lastSession: '',
        lastError: '',
      },
      9,
    );
    const token = 'a-token-of-both-servers';
    const servers = await Promise.all(
      [createProject(address), createProject(address)].map((project) => project.serve({ SIGNALBOX_TOKEN: token })),
    );
    let session = '';
    await until(
      async () => (session = (await store.jobs.get('job_1'))?.lastSession ?? '') !== '',
      'the job has a session',
    );
    await until(async () => (await store.sessions.find(session))?.lastTurn === 'end', 'the turn has ended');
    const headers = { authorization: `Bearer ${token}` };
    for (const { url } of servers) {
      const answer = await fetch(new URL('/api/sessions', url), { headers });
      const { items } = (await answer.json()) as { items: { id: string }[] };
      assert.deepEqual(
        items.map(({ id }) => id),
        [session],
      );
    }
    for (const server of servers) await server.stop();
    assert.equal(await store.sessions.count(), 1);
    assert.equal((await verifyChain(store)).ok, true);
  });

  test('a server with the admin token of one machine names the variable to set', async () => {
    const project = createProject(cluster.address('alone'));
    const stderrOf = async (environment: Readonly<Record<string, string>>): Promise<string> =>
      (await (await project.serve(environment)).stop()).stderr;
    assert.match(await stderrOf({}), /set the same SIGNALBOX_TOKEN on every server/);
    assert.doesNotMatch(await stderrOf({ SIGNALBOX_TOKEN: 'a-token-of-all-servers' }), /SIGNALBOX_TOKEN/);
  });

  test('SIGNALBOX_STORE takes precedence over the configuration, and a password can refer to a secret', async () => {
    const url = new URL(cluster.address('named'));
    url.password = '';
    const address = url.href.replace('postgres@', 'postgres:${secret:DB_PASSWORD}@');
    const project = createProject('sqlite');
    await project.run(['secret', 'set', 'DB_PASSWORD'], { input: password });
    const environment = { SIGNALBOX_STORE: address };
    const called = await project.run(['call', 'list', '--json'], { environment });
    assert.equal(called.code, 0, called.stderr);
    const read = await project.run(['journal', '--json'], { environment });
    assert.match(read.stdout, /mcp__notes__list/);
    assert.equal((await project.run(['journal'])).code, 1, 'nothing was recorded in SQLite');
    const wrong = await project.run(['journal'], { environment: { SIGNALBOX_STORE: 'mysql://u:hunter2@h' } });
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /SIGNALBOX_STORE: expected "sqlite" or a "postgres:\/\/…" address/);
    assert.doesNotMatch(wrong.stderr, /hunter2/);
  });

  test('"store" can be a reference to the whole URL', async () => {
    const project = createProject('${env:DATABASE_URL}');
    const environment = { DATABASE_URL: cluster.address('whole') };
    const called = await project.run(['call', 'list', '--json'], { environment });
    assert.equal(called.code, 0, called.stderr);
    const read = await project.run(['journal', '--json'], { environment });
    assert.match(read.stdout, /mcp__notes__list/);
    assert.ok(!existsSync(join(project.data, 'signalbox.db')), 'there is no journal in SQLite');
    const missing = await project.run(['journal']);
    assert.equal(missing.code, 1);
    assert.match(
      missing.stderr,
      /store-unavailable: store refers to the environment variable DATABASE_URL, which is not set/,
    );
  });

  test('nothing runs without the database, and errors do not contain the password', async () => {
    const url = new URL(cluster.address('away'));
    url.port = '1';
    const project = createProject(url.href);
    for (const args of [['call', 'list'], ['journal'], ['serve', '--port', '0'], ['doctor']]) {
      const { code, stdout, stderr } = await project.run(args);
      assert.equal(code, 1, `${args.join(' ')}: ${stdout}${stderr}`);
      assert.match(stdout + stderr, /PostgreSQL at postgres:\/\/postgres@127\.0\.0\.1:1\/\S+ does not respond/);
      assert.doesNotMatch(stdout + stderr, /hunter2/);
    }
  });
});
