import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { postgresStore } from '../../src/index.ts';
import { verifyChain } from '../../src/journal/integrity/hash-chain.ts';
import type { SessionEvent } from '../../src/sessions/events/session-event.ts';
import { CliProject } from '../e2e/cli-project.ts';
import { until } from '../mcp-servers/boxed.ts';
import { openStream } from '../support/http/event-stream.ts';
import { isFull } from '../support/faults.ts';
import { startPostgres } from '../support/postgres/postgres.ts';
import { type Replica, type Replicas, startReplicas } from '../support/replicas/replicas.ts';
import { runSeed, seeded } from '../support/seeded.ts';

const cluster = await startPostgres();
const directory = mkdtempSync(join(tmpdir(), 'signalbox-replicas-'));
after(async () => {
  await cluster.end();
  rmSync(directory, { recursive: true, force: true });
});
let fixtures = 0;

interface ReplicaFixture extends Replicas {
  readonly address: string;
  /** The effects of the tools: one entry for each, with the process that had it. */
  effects(): readonly { readonly text: string; readonly pid: number }[];
}

/** Starts replicas whose tools record their effects. */
async function startFixture(argumentsOf: readonly (readonly string[])[]): Promise<ReplicaFixture> {
  const name = `replicas_${(fixtures += 1)}`;
  const file = join(directory, name);
  appendFileSync(file, '');
  const module = `
    import { appendFileSync } from 'node:fs';
    import { setTimeout as wait } from 'node:timers/promises';
    import { defineTool } from 'signalbox';
    const input = { type: 'object', properties: { text: { type: 'string' }, ms: { type: 'number' } } } as const;
    const note = async ({ text = '', ms = 0 }: { text?: string; ms?: number }, { signal }: { signal: AbortSignal }) => {
      if (ms > 0) await wait(ms, undefined, { signal });
      appendFileSync(${JSON.stringify(file)}, JSON.stringify({ text, pid: process.pid }) + '\\n');
      return 'noted ' + text;
    };
    export const write = defineTool({ name: 'write', description: 'Notes.', effect: 'irreversible', input, run: note });
    export const burn = defineTool({ name: 'burn', description: 'Asks, and notes.', effect: 'irreversible', input, run: note });
    export const hold = defineTool({
      name: 'hold', description: 'Notes, and goes on for long.', effect: 'irreversible', input,
      run: async (args, context) => { await note(args, context); await wait(60_000, undefined, context); return 'held'; },
    });`;
  const address = cluster.address(name);
  const configuration = {
    mcpServers: { log: { module: './log.ts' } },
    store: address,
    policies: ['write', 'hold'].map((tool) => ({ id: `${tool}-freely`, match: `mcp__log__${tool}`, allow: true })),
  };
  const files = { 'log.ts': module, 'signalbox.config.json': JSON.stringify(configuration) };
  return {
    ...(await startReplicas(files, argumentsOf)),
    address,
    effects: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { text: string; pid: number }),
  };
}

/** Follows a session over several connections, each to the next replica. A connection is closed after `pieces()` events. */
async function followSession(
  { proxy, headers }: Replicas,
  session: string,
  { pieces, turns = 1 }: { readonly pieces: () => number; readonly turns?: number },
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  let ends = 0;
  for (let lastId = '0'; ends < turns;) {
    const stream = await openStream(`${proxy.url}/api/sessions/${session}/events`, {
      headers: { authorization: headers['authorization'] ?? '', 'last-event-id': lastId },
    }).catch(() => undefined);
    if (stream === undefined) continue;
    let rest = pieces();
    try {
      for await (const { id, data } of stream) {
        const event = JSON.parse(data) as SessionEvent;
        lastId = id;
        events.push(event);
        if (event.type === 'done') ends += 1;
        if ((rest -= 1) <= 0 || ends === turns) break;
      }
    } catch {
      // The replica of this connection has ended, so follow the next one.
    }
    stream.drop();
  }
  return events;
}

function assertGapless(events: readonly SessionEvent[]): void {
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
    'there is no gap and no duplicate',
  );
}

async function newSession({ ask }: Replicas): Promise<string> {
  const { status, body } = await ask<{ id: string }>('POST', '/api/sessions', {});
  assert.equal(status, 201, JSON.stringify(body));
  return body.id;
}

suite('three replicas behind a round-robin proxy', () => {
  let all: ReplicaFixture;
  before(async () => {
    all = await startFixture([[], [], []]);
  });
  after(() => all.close());
  /** Returns the shared replicas with only the effects from now on. */
  const replicasFromNow = (): ReplicaFixture => {
    const { length } = all.effects();
    return { ...all, effects: () => all.effects().slice(length) };
  };

  test('a call that waits at one replica is listed at another and answered at the third, once', async () => {
    const replicas = replicasFromNow();
    const { ask } = replicas;
    const [first, second, third] = replicas.all;
    const body = { arguments: { text: 'a' }, waitSeconds: 80 };
    const calling = ask('POST', '/api/tools/mcp__log__burn/call', body, first);
    let id: string | undefined;
    await until(async () => {
      const { body: list } = await ask<{ items: { id: string }[] }>('GET', '/api/approvals', undefined, second);
      return (id = list.items[0]?.id) !== undefined;
    }, 'the request is in the inbox');
    const answered = await ask('POST', `/api/approvals/${id}/approve`, {}, third);
    assert.equal(answered.status, 200, JSON.stringify(answered.body));
    const called = await calling;
    assert.equal(called.body['outcome'], 'completed', JSON.stringify(called.body));
    assert.deepEqual(replicas.effects(), [{ text: 'a', pid: first?.pid }]);
    assert.equal((await ask('POST', `/api/approvals/${id}/approve`, {}, second)).status, 409);
  });

  test('a session created at one replica gets its message at another, and its events at all without gap or duplicate', async () => {
    const replicas = replicasFromNow();
    const { ask } = replicas;
    const session = await newSession(replicas);
    const calls = Array.from({ length: 20 }, (_, index) => `call write {"text":"${index}","ms":${index * 5}}`);
    const message = { content: calls.join('\n'), idempotencyKey: 'once' };
    const sent = [
      await ask<{ turnId: string }>('POST', `/api/sessions/${session}/messages`, message),
      await ask<{ turnId: string }>('POST', `/api/sessions/${session}/messages`, message),
    ];
    assert.deepEqual(
      sent.map(({ status }) => status),
      [202, 202],
    );
    assert.equal(
      new Set(sent.map(({ body }) => body.turnId)).size,
      1,
      'the message was sent twice, but there is one turn',
    );
    assert.equal(new Set(sent.map(({ by }) => by)).size, 2);
    const random = seeded(runSeed);
    const events = await followSession(replicas, session, { pieces: () => 1 + Math.floor(random() * 6) });
    assertGapless(events);
    assert.equal(events.filter(({ type }) => type === 'tool_result').length, 20);
    assert.equal(replicas.effects().length, 20);
    const transcripts = await Promise.all([1, 2, 3].map(() => ask('GET', `/api/sessions/${session}/messages`)));
    assert.equal(new Set(transcripts.map(({ by }) => by)).size, 3);
    assert.equal(new Set(transcripts.map(({ body }) => JSON.stringify(body))).size, 1);
  });

  test('a job that is due at all replicas runs once', async (t) => {
    const replicas = replicasFromNow();
    const store = await postgresStore({ address: replicas.address });
    t.after(() => store.close());
    const owner = { id: 'token:admin', kind: 'human' };
    const dueAt = Date.now() - 60_000;
    const count = 6;
    const sessions = await store.sessions.count();
    for (let job = 0; job < count; job += 1) {
      const text = { cron: '0 0 1 1 *', timezone: 'UTC', prompt: `call write {"text":"job ${job}"}`, agent: 'demo' };
      const record = { owner: JSON.stringify(owner), ownerId: owner.id, text: JSON.stringify(text) };
      const times = { createdAt: dueAt - 60_000, nextAt: dueAt, lastAt: 0, lastSession: '', lastError: '' };
      await store.jobs.add({ id: `job_${job}`, ...record, ...times }, 99);
    }
    await store.pubSub.publish('jobs', '');
    await until(() => replicas.effects().length >= count, 'all jobs have run');
    await until(
      async () => (await store.sessions.select({ limit: 99, active: true })).length === 0,
      'all turns have ended',
    );
    assert.equal(await store.sessions.count(), sessions + count);
    assert.deepEqual(
      replicas
        .effects()
        .map(({ text }) => text)
        .toSorted(),
      Array.from({ length: count }, (_, job) => `job ${job}`),
    );
    for (const job of await store.jobs.list()) assert.deepEqual([job.lastError, job.lastSession !== ''], ['', true]);
  });

  test('kill -9 of the replica that runs a turn ends the turn with an error, and another replica runs the next message', async () => {
    const replicas = replicasFromNow();
    const rounds = isFull() ? 12 : 2;
    for (let round = 0; round < rounds; round += 1) {
      const session = await newSession(replicas);
      const send = (content: string) => replicas.ask('POST', `/api/sessions/${session}/messages`, { content });
      const earlier = replicas.effects().length;
      await send('call hold {"text":"held"}');
      await send('call write {"text":"after"}');
      await until(() => replicas.effects().length > earlier, 'the turn runs');
      const { pid } = replicas.effects().at(-1) ?? assert.fail();
      const runner = replicas.all.find((replica) => replica.pid === pid) ?? assert.fail(`no replica is ${pid}`);
      const following = followSession(replicas, session, { pieces: () => 3, turns: 2 });
      const restarted = replicas.restart(runner, 'SIGKILL');
      const events = await following;
      await restarted;
      assertGapless(events);
      const error = events.find((event) => event.type === 'error');
      assert.equal(error?.code, 'turn-lost');
      assert.deepEqual(
        events.flatMap((event) => (event.type === 'done' ? [event.reason] : [])),
        ['error', 'end'],
      );
      assert.deepEqual(
        replicas
          .effects()
          .slice(earlier)
          .map(({ text }) => text),
        ['held', 'after'],
      );
      const calls = async () =>
        (await replicas.ask<{ items: { outcome?: string }[] }>('GET', `/api/calls?session=${session}`)).body.items;
      await until(async () => (await calls()).every(({ outcome }) => outcome !== undefined), 'every call has ended');
      assert.deepEqual((await calls()).map(({ outcome }) => String(outcome)).toSorted(), ['completed', 'unknown']);
    }
  });

  test('a rolling restart under load fails no accepted call, and repeats no effect', async (t) => {
    const replicas = replicasFromNow();
    const { ask } = replicas;
    const cut = replicas.proxy.cut.length;
    const random = seeded(runSeed);
    const abort = new AbortController();
    const made: string[] = [];
    const wrong: string[] = [];
    const load = Array.from({ length: 4 }, async (_, client) => {
      for (let call = 0; !abort.signal.aborted; call += 1) {
        const text = `${client}:${call}`;
        made.push(text);
        const body = { arguments: { text, ms: Math.floor(random() * 200) }, idempotencyKey: text };
        await ask('POST', '/api/tools/mcp__log__write/call', body).then(
          (answer) => {
            if (answer.status !== 200 || answer.body['outcome'] !== 'completed')
              wrong.push(`${text}: ${answer.status} ${JSON.stringify(answer.body)}`);
          },
          (error: unknown) => wrong.push(`${text}: ${String(error)}`),
        );
      }
    });
    const sessions: string[] = [];
    const talk = (async () => {
      while (!abort.signal.aborted) {
        const session = await newSession(replicas);
        const content = `call write {"text":"${session}","ms":${Math.floor(random() * 300)}}`;
        const { status } = await ask('POST', `/api/sessions/${session}/messages`, { content });
        if (status === 202) sessions.push(session);
        else wrong.push(`${session}: ${status}`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();
    for (let round = 0; round < (isFull() ? 4 : 1); round += 1)
      for (const replica of replicas.all) {
        const earlier = made.length;
        await until(() => made.length > earlier + 10, 'calls are made');
        assert.equal(await replicas.restart(replica, 'SIGTERM'), 0);
      }
    const earlier = made.length;
    await until(() => made.length > earlier + 10, 'calls are made');
    abort.abort();
    await Promise.all([...load, talk]);
    assert.deepEqual([wrong, replicas.proxy.cut.slice(cut)], [[], []]);
    for (const session of sessions) {
      const events = await followSession(replicas, session, { pieces: () => 1000 });
      const end = events.at(-1);
      assert.equal(end?.type === 'done' && end.reason, 'end', JSON.stringify(end));
    }
    const effects = replicas.effects().map(({ text }) => text);
    assert.deepEqual(effects.toSorted(), [...made, ...sessions].toSorted(), 'each effect happened once');
    const store = await postgresStore({ address: replicas.address });
    assert.equal((await verifyChain(store)).ok, true);
    await store.close();
    t.diagnostic(`${made.length} calls and ${sessions.length} turns, seed ${runSeed}`);
  });
});

suite('roles', () => {
  test('are rejected if no other process can do the rest', async () => {
    for (const role of ['web', 'worker']) {
      const { code, stderr } = await new CliProject().run(['serve', '--role', role]);
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`--role ${role} needs other processes.*"store" is "sqlite"`));
    }
  });

  test('requests at web replicas are run by a worker, which only serves probes', async (t) => {
    const replicas = await startFixture([
      ['--role', 'web'],
      ['--role', 'worker'],
      ['--role', 'web'],
    ]);
    t.after(() => replicas.close());
    const worker: Replica = replicas.all[1] ?? assert.fail();
    const session = await newSession(replicas);
    await replicas.ask('POST', `/api/sessions/${session}/messages`, { content: 'call write {"text":"a"}' });
    assertGapless(await followSession(replicas, session, { pieces: () => 2 }));
    assert.deepEqual(replicas.effects(), [{ text: 'a', pid: worker.pid }]);
    assert.equal((await replicas.ask('GET', '/api/info')).body['role'], 'web');
    const { headers } = replicas;
    const status = async (path: string, method = 'GET'): Promise<number> =>
      (await fetch(worker.url + path, { headers, method })).status;
    assert.deepEqual([await status('/api/health'), await status('/metrics')], [200, 200]);
    for (const path of ['/api/info', '/api/tools', '/api/sessions', '/', '/docs'])
      assert.equal(await status(path), 404, path);
    assert.equal(await status('/mcp', 'POST'), 404);
  });
});
