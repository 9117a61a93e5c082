import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type SessionFixture,
  ann,
  eventsUntil,
  openSessionFixture,
  runTurn,
} from '../../../test/support/sessions/session-fixture.ts';
import type { JobScheduler } from '../../sessions/schedules/schedules.ts';
import type { SessionEvent } from '../../sessions/events/session-event.ts';
import { openSchedules } from './open-sessions.ts';

/** Returns the result of the first tool call, parsed as JSON. */
function resultOf(events: readonly SessionEvent[]): unknown {
  const result = events.find((event) => event.type === 'tool_result');
  const [block] = result?.content ?? [];
  assert.ok(block?.type === 'text', JSON.stringify(result));
  return JSON.parse(block.text);
}

describe('the built-in tools of sessions and jobs', () => {
  let fixture: SessionFixture;
  let schedules: JobScheduler;
  let session: string;
  before(async () => {
    fixture = await openSessionFixture();
    schedules = openSchedules(fixture.box, fixture.sessions, {});
    session = (await fixture.sessions.create({}, ann)).id;
    await fixture.sessions.create({ title: 'private' }, { id: 'bob', kind: 'human' });
  });
  after(async () => {
    await schedules.close();
    await fixture.close();
  });
  const callTool = (tool: string, args: object): Promise<SessionEvent[]> =>
    runTurn(fixture.sessions, session, `call mcp__signalbox__${tool} ${JSON.stringify(args)}`);

  test('are all available to an agent in a session', () => {
    const names = fixture.box.tools().flatMap(({ id }) => (id.server === 'signalbox' ? [id.tool] : []));
    const expected = {
      all: 'ping get_server_info read_result',
      sessions: 'get_session_count list_sessions get_session_details list_active_sessions',
      jobs: 'create_job list_jobs delete_job',
    };
    assert.equal(names.join(' '), Object.values(expected).join(' '));
  });

  test('show only the sessions of the owner of the session', async () => {
    assert.deepEqual(resultOf(await callTool('get_session_count', {})), {
      count: 1,
      cwd: fixture.directory,
      signalbox: 1,
      claude_code: 0,
    });
    const { sessions } = resultOf(await callTool('list_active_sessions', {})) as {
      sessions: { id: string; state: string }[];
    };
    assert.deepEqual(
      sessions.map(({ id, state }) => [id, state]),
      [[session, 'running']],
    );
    assert.ok(!JSON.stringify(await callTool('list_sessions', {})).includes('private'));
  });

  test('create an approved job for the owner of the session; undo of the call deletes the job', async () => {
    const asking = callTool('create_job', { cron: '0 9 * * *', prompt: 'ping the server' });
    const events = await eventsUntil(fixture.sessions, session, ({ type }) => type === 'approval_required');
    const asked = events.findLast((event) => event.type === 'approval_required');
    assert.ok(asked !== undefined);
    assert.equal(asked.rule, 'default:compensable');
    await fixture.sessions.approve(session, asked.toolCallId, { by: ann });
    const { id } = resultOf(await asking) as { id: string };
    const [job] = await schedules.list({ owner: 'ann' });
    assert.deepEqual(
      [job?.id, job?.owner, job?.agent, job?.cwd, job?.prompt],
      [id, ann, 'demo', fixture.directory, 'ping the server'],
    );
    const { jobs } = resultOf(await callTool('list_jobs', {})) as { jobs: { id: string }[] };
    assert.deepEqual(
      jobs.map((each) => each.id),
      [id],
    );
    const undone = await fixture.box.undo.call(id.replace('job_', 'call_'), { principal: ann });
    assert.equal(undone.outcome, 'undone');
    assert.deepEqual(await schedules.list(), []);
  });
});

describe('a scheduled job', () => {
  const agent = (id: string) => ({ id: `token:${id}`, kind: 'agent' }) as const;
  const newJob = { cron: '0 9 * * *', timezone: 'UTC', prompt: 'hello' };
  const expiresInMs = 2000;

  test('of a revoked or expired token is skipped with the reason; a token with a profile cannot create one', async (t) => {
    // Mocked first, because the box stores `Date.now` when it is created.
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const fixture = await openSessionFixture();
    const schedules = openSchedules(fixture.box, fixture.sessions, {});
    t.after(async () => {
      await schedules.close();
      await fixture.close();
    });
    const { tokens } = fixture.box;
    const make = async (more: object): Promise<string> => (await tokens.create({ role: 'agent', by: ann, ...more })).id;
    const [good, revoked, expired] = [await make({}), await make({}), await make({ expiresInMs })];
    const owners = [ann, agent('admin'), ...[good, revoked, expired].map(agent)];
    const jobs = await Promise.all(owners.map((owner) => schedules.create(newJob, owner)));
    await assert.rejects(
      schedules.create(newJob, agent(await make({ profile: 'narrow' }))),
      /bound to the profile narrow/,
    );
    await assert.rejects(schedules.create(newJob, agent('tok_none')), /the token tok_none does not exist/);
    await tokens.revoke(revoked, { by: ann });
    t.mock.timers.tick(24 * 60 * 60 * 1000);
    await schedules.runDue();
    const ran = await Promise.all(jobs.map(({ id }) => schedules.get(id)));
    assert.deepEqual(
      ran.map(({ lastSession, lastError }) => lastError ?? typeof lastSession),
      [
        'string',
        'string',
        'string',
        `skipped: the token ${revoked} was revoked`,
        `skipped: the token ${expired} has expired`,
      ],
    );
    assert.equal(await fixture.sessions.count(), 3);
  });
});
