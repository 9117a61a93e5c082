import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { eventsUntil, openSessionFixture } from '../../../test/support/sessions/session-fixture.ts';
import type { Store } from '../../journal/store/store.ts';
import { SignalboxError } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import { sqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { type JobSchedulerOptions, JobScheduler } from './schedules.ts';
import type { NewSession, Session } from '../sessions.ts';

const ada: Principal = { id: 'ada', kind: 'human' };
const hour = 60 * 60 * 1000;
const start = Date.parse('2026-11-16T08:30:00Z');
const nine = { cron: '0 9 * * *', timezone: 'UTC', prompt: 'Sum up the night.\nBe brief.' };

/** Sessions that record requests. */
class RecordingSessions {
  readonly created: { readonly request: NewSession; readonly owner: Principal }[] = [];
  readonly sent: { readonly id: string; readonly content: string; readonly by: Principal }[] = [];
  state: Session['state'] = 'idle';
  failure: Error | undefined;

  agents = (): { name: string; runtime: string; isDefault: boolean }[] => [
    { name: 'demo', runtime: 'model', isDefault: true },
  ];
  create = async (request: NewSession, owner: Principal): Promise<Session> => {
    if (this.failure !== undefined) throw this.failure;
    this.created.push({ request, owner });
    return await this.get(`s${this.created.length}`);
  };
  send = async (id: string, content: string, by: Principal) => {
    this.sent.push({ id, content, by });
    return { turnId: 't', afterSeq: 0, position: 0 };
  };
  get = async (id: string): Promise<Session> => {
    if (Number(id.slice(1)) > this.created.length) throw new SignalboxError('session-unknown', 'gone');
    return {
      id,
      agent: 'demo',
      runtime: 'model',
      title: '',
      cwd: '/',
      permissionMode: 'default',
      state: this.state,
      owner: ada,
      createdAt: '',
      activeAt: '',
      queued: 0,
      lastSeq: 0,
    };
  };
}

interface Setup {
  readonly schedules: JobScheduler;
  readonly sessions: RecordingSessions;
  readonly store: Store;
  /** Sets the clock and starts the due jobs. */
  at(time: number): Promise<void>;
  /** Opens the same store, like another process. */
  another(): Setup;
}

function setUp(t: TestContext, options: Partial<JobSchedulerOptions> = {}, file?: string): Setup {
  if (file === undefined) {
    const directory = mkdtempSync(join(tmpdir(), 'signalbox-jobs-'));
    t.after(() => rmSync(directory, { recursive: true }));
    file = join(directory, 'signalbox.db');
  }
  const store = sqliteStore({ file });
  t.after(() => store.close());
  const sessions = new RecordingSessions();
  let now = start;
  const schedules = new JobScheduler({
    store: store.jobs,
    sessions,
    redact: (text) => text.replaceAll('hunter2', '[redacted]'),
    now: () => now,
    ...options,
  });
  return {
    schedules,
    sessions,
    store,
    async at(time) {
      now = time;
      await schedules.runDue();
    },
    another: () => setUp(t, options, file),
  };
}

describe('scheduled job', () => {
  test('starts a turn at its time in a new session of its owner, and again the next day', async (t) => {
    const { schedules, sessions, at } = setUp(t);
    const job = await schedules.create({ ...nine, agent: 'demo', cwd: '/srv' }, ada);
    assert.equal(job.nextAt, '2026-11-16T09:00:00.000Z');
    await at(start + hour / 2 - 1);
    assert.deepEqual(sessions.created, []);
    await at(start + hour / 2);
    await at(start + hour / 2);
    assert.deepEqual(sessions.created, [
      {
        request: { agent: 'demo', cwd: '/srv' },
        owner: ada,
      },
    ]);
    assert.deepEqual(sessions.sent, [{ id: 's1', content: nine.prompt, by: { id: job.id, kind: 'system' } }]);
    const { nextAt, lastRunAt, lastSession, lastError } = await schedules.get(job.id);
    assert.deepEqual(
      [nextAt, lastRunAt, lastSession, lastError],
      ['2026-11-17T09:00:00.000Z', '2026-11-16T09:00:00.000Z', 's1', undefined],
    );
    await at(start + 24.5 * hour);
    assert.equal(sessions.sent.length, 2);
  });

  test('is run by exactly one of several processes', async (t) => {
    const one = setUp(t);
    await one.schedules.create(nine, ada);
    const two = one.another();
    const three = one.another();
    await Promise.all([one, two, three].map(({ at }) => at(start + hour / 2)));
    assert.equal([one, two, three].flatMap(({ sessions }) => sessions.sent).length, 1);
    assert.equal((await three.schedules.list()).length, 1);
  });

  test('that was missed within a day runs once; after more than a day, the run is skipped with a reason', async (t) => {
    const { schedules, sessions, at } = setUp(t);
    const { id } = await schedules.create({ ...nine, cron: '0 * * * *' }, ada);
    await at(start + 10 * hour);
    assert.equal(sessions.sent.length, 1, 'one run for ten missed ones');
    assert.equal((await schedules.get(id)).nextAt, '2026-11-16T19:00:00.000Z');
    await at(start + 100 * hour);
    assert.equal(sessions.sent.length, 1);
    assert.match((await schedules.get(id)).lastError ?? '', /due more than a day before/);
    assert.equal((await schedules.get(id)).nextAt, '2026-11-20T13:00:00.000Z');
  });

  test('is skipped with a reason while the turn of its last run waits; a deleted session does not block it', async (t) => {
    const { schedules, sessions, at } = setUp(t);
    const { id } = await schedules.create({ ...nine, cron: '0 * * * *' }, ada);
    await at(start + hour / 2);
    sessions.state = 'waiting';
    await at(start + 1.5 * hour);
    assert.equal(sessions.sent.length, 1);
    const skipped = await schedules.get(id);
    assert.match(skipped.lastError ?? '', /the session of the last run, s1, has not finished its turn/);
    assert.deepEqual([skipped.lastSession, skipped.lastRunAt], ['s1', '2026-11-16T10:00:00.000Z']);
    sessions.state = 'idle';
    await at(start + 2.5 * hour);
    assert.equal(sessions.sent.length, 2);
    sessions.created.length = 0;
    await at(start + 3.5 * hour);
    assert.equal(sessions.sent.length, 3, 'a deleted session does not block the next run');
  });

  test('reports a run whose process died after the claim, and does not repeat it', async (t) => {
    const one = setUp(t);
    const { id } = await one.schedules.create(nine, ada);
    const claimed = Promise.withResolvers<void>();
    one.sessions.create = () => {
      claimed.resolve();
      return new Promise(() => undefined);
    };
    void one.at(start + hour / 2);
    await claimed.promise;
    const two = one.another();
    await two.at(start + hour);
    assert.deepEqual(two.sessions.sent, []);
    assert.equal((await two.schedules.get(id)).lastError, 'Signalbox ended before the session was created');
  });

  test('that fails reports the reason and runs at its next time; other jobs are not delayed', async (t) => {
    const { schedules, sessions, at, store } = setUp(t);
    const { id } = await schedules.create(nine, ada);
    sessions.failure = new SignalboxError('agent-unknown', 'there is no agent named "x"');
    await at(start + hour / 2);
    assert.equal((await schedules.get(id)).lastError, 'there is no agent named "x"');
    sessions.failure = undefined;
    const broken = {
      ...(await store.jobs.get(id)),
      id: 'job_0',
      nextAt: start,
      text: '{"cron":"? ?","timezone":"UTC"}',
    };
    await store.jobs.add(broken as Parameters<typeof store.jobs.add>[0], 9);
    await at(start + 24.5 * hour);
    assert.equal(sessions.sent.length, 1);
    assert.equal((await schedules.get(id)).lastError, undefined);
    assert.match((await schedules.get('job_0')).lastError ?? '', /is not a valid schedule/);
  });

  test('of an owner who is refused is skipped with the reason', async (t) => {
    let isRevoked = false;
    const { schedules, sessions, at } = setUp(t, {
      refusal: async ({ id }) => (isRevoked && id === 'ada' ? 'the token of ada was revoked' : undefined),
    });
    const { id } = await schedules.create(nine, ada);
    isRevoked = true;
    await assert.rejects(schedules.create(nine, ada), /it would never run: the token of ada was revoked/);
    await at(start + hour / 2);
    assert.deepEqual(sessions.created, []);
    assert.equal((await schedules.get(id)).lastError, 'skipped: the token of ada was revoked');
  });

  test('does not repeat a run when the clock is set back a little, and is rescheduled when it was set back by more than a day', async (t) => {
    const { schedules, sessions, at } = setUp(t);
    const { id } = await schedules.create(nine, ada);
    await at(start + hour / 2);
    await at(start + hour / 2 - 5000);
    await at(start + hour / 2);
    assert.equal(sessions.sent.length, 1);
    const year = 365 * 24 * hour;
    await at(start + year);
    await at(start + 23 * hour);
    assert.equal((await schedules.get(id)).nextAt, '2026-11-17T09:00:00.000Z');
    await at(start + 24.5 * hour);
    assert.equal(sessions.sent.length, 2);
  });
});

describe('Schedules with the sessions of a box', () => {
  test('runs a turn of the agent in a session of the owner of the job', async (t) => {
    const { sessions, box, close } = await openSessionFixture();
    t.after(close);
    let now = start;
    const schedules = new JobScheduler({
      store: box.jobStore,
      sessions,
      redact: (text) => box.secrets.redact(text),
      now: () => now,
    });
    const { id } = await schedules.create({ ...nine, prompt: 'ping the server' }, ada);
    now = start + hour / 2;
    await schedules.runDue();
    const { items } = await sessions.list({ owner: 'ada' });
    const [session] = items;
    assert.ok(session !== undefined && items.length === 1);
    assert.deepEqual([session.title, session.owner, session.permissionMode], ['ping the server', ada, 'default']);
    assert.equal((await schedules.get(id)).lastSession, session.id);
    const events = await eventsUntil(sessions, session.id, ({ type }) => type === 'done');
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'tool_result' ? [event.outcome] : [])),
      ['completed'],
    );
    assert.equal(events.find((event) => event.type === 'user_message')?.by, id);
    now += 24 * hour;
    await schedules.runDue();
    assert.equal((await sessions.list({ owner: 'ada' })).items.length, 2);
  });
});

describe('Schedules', () => {
  test('lists jobs by owner, deletes them, and restores them without the runs that were missed meanwhile', async (t) => {
    const { schedules, sessions, at } = setUp(t);
    const { id } = await schedules.create(nine, ada);
    await schedules.create(nine, { id: 'bob', kind: 'agent' });
    assert.deepEqual(
      (await schedules.list({ owner: 'ada' })).map((job) => job.id),
      [id],
    );
    assert.equal((await schedules.list()).length, 2);
    await schedules.delete(id);
    await assert.rejects(schedules.delete(id), { code: 'job-unknown' });
    await at(start + hour);
    assert.deepEqual(
      sessions.created.map(({ owner }) => owner.id),
      ['bob'],
    );
    await schedules.restore(id);
    await at(start + hour);
    assert.equal(sessions.created.length, 1);
    assert.equal((await schedules.get(id)).nextAt, '2026-11-17T09:00:00.000Z');
    await assert.rejects(schedules.restore(id), { code: 'job-unknown' });
  });

  test('refuses jobs that could not run, with the reason', async (t) => {
    const { schedules } = setUp(t);
    const refused = async (wrong: object, message: RegExp, code = 'job-invalid'): Promise<void> => {
      await assert.rejects(schedules.create({ ...nine, ...wrong }, ada), { code, message });
    };
    await refused({ cron: '0 9 * *' }, /use five fields/);
    await refused({ cron: '0 0 31 2 *' }, /never matches/);
    await refused({ timezone: 'Nowhere' }, /not a valid time zone/);
    await refused({ prompt: ' ' }, /empty/);
    await refused({ prompt: 'x'.repeat(40_000) }, /longer than 32768/);
    await refused({ prompt: `use ghp_${'a1B2'.repeat(9)}` }, /looks like one/);
    await refused({ prompt: 'say hunter2' }, /contains a secret/);
    await refused({ cwd: 'here' }, /not an absolute path/);
    await refused({ agent: 'dmo' }, /did you mean "demo"/, 'agent-unknown');
    assert.deepEqual(await schedules.list(), []);
  });

  test('stores at most a thousand jobs', async (t) => {
    const { schedules } = setUp(t);
    for (let count = 0; count < 1000; count += 1) await schedules.create(nine, ada);
    await assert.rejects(schedules.create(nine, ada), /there are already 1000 jobs/);
  });

  test('runs jobs automatically after `start`, also those created later, and none after `close`', async (t) => {
    let now = start;
    const one = setUp(t, { now: () => now });
    const whenSent = (count: number): Promise<void> =>
      new Promise((resolve) => {
        const send = one.sessions.send;
        one.sessions.send = async (...message) => {
          const sent = await send(...message);
          if (one.sessions.sent.length === count) resolve();
          return sent;
        };
      });
    one.schedules.start();
    const first = whenSent(1);
    now = start + hour / 2 - 30;
    await one.schedules.create(nine, ada);
    now = start + hour / 2;
    await first;
    await one.schedules.close();
    now = start + 100 * hour;
    await one.schedules.create(nine, ada);
    await wait(20);
    assert.equal(one.sessions.sent.length, 1);
  });

  test('reports that the jobs cannot be read', async (t) => {
    const problems: string[] = [];
    const { schedules, store } = setUp(t, { onProblem: (problem) => problems.push(problem) });
    await store.close();
    schedules.start();
    await schedules.close();
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /cannot read the scheduled jobs/);
    store.close = async () => undefined;
  });
});
