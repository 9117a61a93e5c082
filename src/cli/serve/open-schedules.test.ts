import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  type SessionPlace,
  ann,
  eventsUntil,
  openSessionPlace,
  runTurn,
} from '../../../test/support/sessions/session-place.ts';
import type { Schedules } from '../../sessions/schedules.ts';
import type { SessionEvent } from '../../sessions/session-event.ts';
import { openSchedules } from './open-schedules.ts';

/** What came back to the model, as JSON. */
function answered(events: readonly SessionEvent[]): unknown {
  const result = events.find((event) => event.type === 'tool_result');
  const [block] = result?.content ?? [];
  assert.ok(block?.type === 'text', JSON.stringify(result));
  return JSON.parse(block.text);
}

describe('an agent in a session', () => {
  let place: SessionPlace;
  let schedules: Schedules;
  let session: string;
  before(async () => {
    place = await openSessionPlace();
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
    assert.deepEqual(answered(await says('get_session_count', {})), { count: 1, cwd: null });
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
    const undone = await place.box.undo(id.replace('job_', 'call_'), { principal: ann });
    assert.equal(undone.outcome, 'undone');
    assert.deepEqual(await schedules.list(), []);
  });
});
