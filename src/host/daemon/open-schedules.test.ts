import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type SessionFixture,
  ann,
  eventsUntil,
  openSessionFixture,
  runTurn,
} from '../../../test/support/sessions/session-fixture.ts';
import type { Schedules } from '../../sessions/schedules/schedules.ts';
import type { SessionEvent } from '../../sessions/events/session-event.ts';
import { openSchedules } from './open-sessions.ts';

/** What came back to the model, as JSON. */
function answered(events: readonly SessionEvent[]): unknown {
  const result = events.find((event) => event.type === 'tool_result');
  const [block] = result?.content ?? [];
  assert.ok(block?.type === 'text', JSON.stringify(result));
  return JSON.parse(block.text);
}

describe('an agent in a session', () => {
  let place: SessionFixture;
  let schedules: Schedules;
  let session: string;
  before(async () => {
    place = await openSessionFixture();
    schedules = openSchedules(place.box, place.sessions, {});
    session = (await place.sessions.create({}, ann)).id;
    await place.sessions.create({ title: 'private' }, { id: 'bob', kind: 'human' });
  });
  after(async () => {
    await schedules.close();
    await place.close();
  });
  const says = (tool: string, args: object): Promise<SessionEvent[]> =>
    runTurn(place.sessions, session, `call mcp__signalbox__${tool} ${JSON.stringify(args)}`);

  test('finds every built-in tool', () => {
    const names = place.box.tools().flatMap(({ id }) => (id.server === 'signalbox' ? [id.tool] : []));
    const about = {
      all: 'ping get_server_info read_result',
      sessions: 'get_session_count list_sessions get_session_details list_active_sessions',
      jobs: 'create_job list_jobs delete_job',
    };
    assert.equal(names.join(' '), Object.values(about).join(' '));
  });

  test('sees the sessions of its owner, and nothing of anybody else’s', async () => {
    assert.deepEqual(answered(await says('get_session_count', {})), {
      count: 1,
      cwd: place.directory,
      signalbox: 1,
      claude_code: 0,
    });
    const { sessions } = answered(await says('list_active_sessions', {})) as {
      sessions: { id: string; state: string }[];
    };
    assert.deepEqual(
      sessions.map(({ id, state }) => [id, state]),
      [[session, 'running']],
    );
    assert.ok(!JSON.stringify(await says('list_sessions', {})).includes('private'));
  });

  test('makes a job that a human approved, for its owner; undoing the call takes the job back', async () => {
    const asking = says('create_job', { cron: '0 9 * * *', prompt: 'ping the server' });
    const events = await eventsUntil(place.sessions, session, ({ type }) => type === 'approval_required');
    const asked = events.findLast((event) => event.type === 'approval_required');
    assert.ok(asked !== undefined);
    assert.equal(asked.rule, 'default:compensable');
    await place.sessions.approve(session, asked.toolCallId, { by: ann });
    const { id } = answered(await asking) as { id: string };
    const [job] = await schedules.list({ owner: 'ann' });
    assert.deepEqual(
      [job?.id, job?.owner, job?.agent, job?.cwd, job?.prompt],
      [id, ann, 'demo', place.directory, 'ping the server'],
    );
    const { jobs } = answered(await says('list_jobs', {})) as { jobs: { id: string }[] };
    assert.deepEqual(
      jobs.map((each) => each.id),
      [id],
    );
    const undone = await place.box.undo.call(id.replace('job_', 'call_'), { principal: ann });
    assert.equal(undone.outcome, 'undone');
    assert.deepEqual(await schedules.list(), []);
  });
});

describe('a job', () => {
  const agent = (id: string) => ({ id: `token:${id}`, kind: 'agent' }) as const;
  const nine = { cron: '0 9 * * *', timezone: 'UTC', prompt: 'hello' };
  const soon = 2000;

  test('of a token that was revoked or has expired does not run, and says why; one that is bound to a profile has none', async (t) => {
    const place = await openSessionFixture();
    let now = Date.now();
    const schedules = openSchedules(place.box, place.sessions, { now: () => now });
    t.after(async () => {
      await schedules.close();
      await place.close();
    });
    const { tokens } = place.box;
    const make = async (more: object): Promise<string> => (await tokens.create({ role: 'agent', by: ann, ...more })).id;
    const [good, revoked, expired] = [await make({}), await make({}), await make({ expiresInMs: soon })];
    const owners = [ann, agent('admin'), ...[good, revoked, expired].map(agent)];
    const jobs = await Promise.all(owners.map((owner) => schedules.create(nine, owner)));
    await assert.rejects(
      schedules.create(nine, agent(await make({ profile: 'narrow' }))),
      /bound to the profile narrow/,
    );
    await assert.rejects(schedules.create(nine, agent('tok_none')), /the token tok_none does not exist/);
    await tokens.revoke(revoked, { by: ann });
    await new Promise((resolve) => setTimeout(resolve, soon));
    now += 24 * 60 * 60 * 1000;
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
    assert.equal(await place.sessions.count(), 3);
  });
});
