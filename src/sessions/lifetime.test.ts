import { openSignalbox } from '../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  ann,
  collect,
  eventsUntil,
  openSessionFixture,
  runTurn,
  textTurn,
  textOf,
  untilInterrupted,
} from '../../test/support/sessions/session-fixture.ts';
import type { SignalboxError } from '../core/errors.ts';

const refused = (code: string) => (error: unknown) => (error as SignalboxError).code === code;

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await condition()); tries += 1) {
    assert.ok(tries < 1000, 'the condition never holds');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('lifetime of sessions', () => {
  test('an idle session expires: the state of its tools is released, and the next message continues the conversation', async (t) => {
    const place = await openSessionFixture({ idleMs: 500 });
    t.after(() => place.close());
    const released = Promise.withResolvers<void>();
    const { endSession } = place.box;
    t.mock.method(place.box, 'endSession', (session: string) => {
      endSession(session);
      released.resolve();
    });
    const { id } = await place.sessions.create({}, ann);
    assert.match(textOf(await runTurn(place.sessions, id, 'call mcp__notes__count')), /call 1$/);
    assert.match(textOf(await runTurn(place.sessions, id, 'call mcp__notes__count')), /call 2$/);
    await until(async () => (await place.sessions.get(id)).state === 'expired');
    await released.promise;
    assert.match(textOf(await runTurn(place.sessions, id, 'call mcp__notes__count')), /call 1$/);
    assert.equal((await place.sessions.transcript(id)).length, 6);
    const { memory } = JSON.parse((await place.box.sessionStore.memory(id)) ?? '') as {
      memory: { messages: unknown[] };
    };
    assert.ok(memory.messages.length > 6, 'the model received all messages');
  });

  test('a session is deleted after the retention time, unless a turn runs', async (t) => {
    const place = await openSessionFixture({ idleMs: 20, keepMs: 500 });
    t.after(() => place.close());
    place.script = (turn) => untilInterrupted(turn);
    const [old, busy] = [await place.sessions.create({}, ann), await place.sessions.create({ agent: 'scripted' }, ann)];
    await place.sessions.send(busy.id, 'go', ann);
    await until(async () => (await place.sessions.count()) === 1);
    await assert.rejects(place.sessions.get(old.id), refused('session-unknown'));
    assert.equal((await place.sessions.get(busy.id)).state, 'running');
  });

  test('queued messages run after a restart', async (t) => {
    const place = await openSessionFixture();
    t.after(() => place.close());
    const { id } = await place.sessions.create({ agent: 'scripted' }, ann);
    place.script = (turn) => untilInterrupted(turn, 'one ');
    await place.sessions.send(id, 'first', ann);
    await eventsUntil(place.sessions, id, ({ type }) => type === 'text_delta');
    await place.sessions.send(id, 'second', ann);
    place.script = ({ content }) => textTurn(`answer to ${content}`);
    const watching = collect(place.sessions.events(id, { after: 0, signal: AbortSignal.timeout(20_000) }));
    const closed = place.sessions;
    await place.reopen();
    await assert.rejects(closed.send(id, 'too late', ann), refused('box-closed'));
    const seen = await watching;
    assert.deepEqual(seen.at(-1)?.type === 'done' && seen.at(-1), { ...seen.at(-1), reason: 'interrupted' });
    const events = await eventsUntil(place.sessions, id, ({ type }) => type === 'done', seen.at(-1)?.seq);
    assert.equal(textOf(events), 'answer to second');
    const { title, lastTurn, queued } = await place.sessions.get(id);
    assert.deepEqual([title, lastTurn, queued], ['first', 'end', 0]);
  });

  test('messages queued by an earlier process run only after `ready` resolves', async (t) => {
    const ready = Promise.withResolvers<void>();
    const place = await openSessionFixture({ ready: ready.promise });
    t.after(() => place.close());
    const { id } = await place.sessions.create({ agent: 'scripted' }, ann);
    await place.sessions.close();
    const draft = { id: 'turn_1', session: id, content: 'queued', by: ann, at: Date.now(), title: '', maxWaiting: 9 };
    await place.box.sessionStore.queue(draft);
    await place.reopen();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual([(await place.sessions.get(id)).queued, (await place.sessions.get(id)).lastSeq], [1, 0]);
    ready.resolve();
    await eventsUntil(place.sessions, id, ({ type }) => type === 'done', 0);
  });

  test('a refused sender’s running turn ends and its queued turns do not run; turns of other senders do', async (t) => {
    const refusedIds = new Set<string>();
    const place = await openSessionFixture({
      refusal: async ({ id }) => (refusedIds.has(id) ? `${id} was removed` : undefined),
    });
    t.after(() => place.close());
    const { sessions } = place;
    const bob = { id: 'bob', kind: 'agent' } as const;
    const { id } = await sessions.create({ agent: 'scripted' }, bob);
    const ran: string[] = [];
    place.script = (turn) => {
      ran.push(turn.content);
      return turn.content === 'running' ? untilInterrupted(turn) : textTurn('answer');
    };
    await sessions.send(id, 'running', bob);
    await eventsUntil(sessions, id, ({ type }) => type === 'text_delta');
    await sessions.send(id, 'queued', bob);
    await sessions.send(id, 'of a job', { id: 'job_1', kind: 'system' });
    await sessions.send(id, 'of ann', ann);
    refusedIds.add('bob');
    let dones = 0;
    const events = await eventsUntil(sessions, id, ({ type }) => type === 'done' && ++dones === 4, 0);
    assert.deepEqual(ran, ['running', 'of ann']);
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'error' ? [[event.code, event.message]] : [])),
      Array.from({ length: 3 }, () => ['turn-refused', 'bob was removed']),
    );
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'done' ? [event.reason] : [])),
      ['error', 'error', 'error', 'end'],
    );
  });

  test('`close` lets a running turn end within the grace period', async (t) => {
    const place = await openSessionFixture();
    t.after(() => place.close());
    const { id } = await place.sessions.create({ agent: 'scripted' }, ann);
    const proceed = Promise.withResolvers<void>();
    place.script = async function* () {
      yield { type: 'text_delta', text: 'a' };
      await proceed.promise;
      yield* textTurn('b');
    };
    await place.sessions.send(id, 'go', ann);
    await eventsUntil(place.sessions, id, ({ type }) => type === 'text_delta');
    const closing = place.sessions.close({ graceMs: 20_000 });
    proceed.resolve();
    await closing;
    await place.reopen();
    assert.equal(textOf(await eventsUntil(place.sessions, id, ({ type }) => type === 'done', 0)), 'ab');
  });

  test('an approval that is answered in another process is emitted in the session', async (t) => {
    const place = await openSessionFixture();
    t.after(() => place.close());
    const otherBox = await openSignalbox({ data: `${place.directory}/data` });
    t.after(() => otherBox.close());
    const { id } = await place.sessions.create({}, ann);
    await place.sessions.send(id, 'call mcp__notes__write {"text":"from another process"}', ann);
    const required = (await eventsUntil(place.sessions, id, ({ type }) => type === 'approval_required')).at(-1);
    assert.ok(required?.type === 'approval_required');
    await otherBox.approvals.approve(required.approvalId, { by: { id: 'bob', kind: 'human' } });
    const events = await eventsUntil(place.sessions, id, ({ type }) => type === 'done', required.seq);
    const resolved = events.find((event) => event.type === 'approval_resolved');
    assert.deepEqual([resolved?.decision, resolved?.by], ['approved', 'bob']);
    assert.ok(place.notes.includes('from another process'));
  });

  test('an approval that is not answered in time is emitted as expired, and the turn continues', async (t) => {
    const place = await openSessionFixture({ box: { approvals: { expireAfterMs: 100 } } });
    t.after(() => place.close());
    const { id } = await place.sessions.create({}, ann);
    const events = await runTurn(place.sessions, id, 'call mcp__notes__write {"text":"late"}');
    assert.equal(events.find((event) => event.type === 'approval_resolved')?.decision, 'expired');
    assert.equal(events.find((event) => event.type === 'tool_result')?.outcome, 'denied');
    assert.equal(events.find((event) => event.type === 'done')?.reason, 'end');
  });

  test('two sessions can wait for the same approval; one answer lets one of their calls run', async (t) => {
    const place = await openSessionFixture();
    t.after(() => place.close());
    const ids = await Promise.all([1, 2].map(async () => (await place.sessions.create({}, ann)).id));
    const [one = '', two = ''] = ids;
    for (const id of ids) await place.sessions.send(id, 'call mcp__notes__write {"text":"same"}', ann);
    const [first, second] = await Promise.all(
      ids.map(async (id) => (await eventsUntil(place.sessions, id, ({ type }) => type === 'approval_required')).at(-1)),
    );
    assert.ok(first?.type === 'approval_required' && second?.type === 'approval_required');
    assert.equal(first.approvalId, second.approvalId);
    await place.sessions.approve(one, first.toolCallId, { by: ann, remember: 'nothing' });
    const ran = await Promise.any(
      ids.map((id) => eventsUntil(place.sessions, id, ({ type }) => type === 'done').then(() => id)),
    );
    const other = ran === one ? two : one;
    const earlier = ran === one ? second : first;
    assert.equal(place.notes.length, 1);
    const events = await eventsUntil(place.sessions, other, ({ type }) => type === 'approval_required', earlier.seq);
    const last = events.at(-1);
    assert.ok(last?.type === 'approval_required' && last.approvalId !== first.approvalId);
    await place.sessions.deny(other, last.toolCallId, { by: ann });
    await eventsUntil(place.sessions, other, ({ type }) => type === 'done');
    assert.equal(place.notes.length, 1);
  });

  test('an interrupt of one of two sessions that wait for the same approval leaves the other waiting', async (t) => {
    const place = await openSessionFixture();
    t.after(() => place.close());
    const ids = await Promise.all([1, 2].map(async () => (await place.sessions.create({}, ann)).id));
    const [one = '', two = ''] = ids;
    for (const id of ids) {
      await place.sessions.send(id, 'call mcp__notes__write {"text":"shared"}', ann);
      await eventsUntil(place.sessions, id, ({ type }) => type === 'approval_required');
    }
    await place.sessions.interrupt(one);
    const ended = await eventsUntil(place.sessions, one, ({ type }) => type === 'done');
    assert.equal(ended.find((event) => event.type === 'approval_resolved')?.decision, 'expired');
    assert.equal((await place.sessions.get(two)).state, 'waiting');
    const required = (await eventsUntil(place.sessions, two, ({ type }) => type === 'approval_required')).at(-1);
    assert.ok(required?.type === 'approval_required');
    await place.sessions.approve(two, required.toolCallId, { by: ann });
    await eventsUntil(place.sessions, two, ({ type }) => type === 'done');
    assert.deepEqual(place.notes, ['shared']);
  });

  test('a session can be deleted although its runtime ignores the interrupt', async (t) => {
    const place = await openSessionFixture();
    const ignoring = Promise.withResolvers<void>();
    t.after(() => {
      ignoring.resolve();
      return place.close();
    });
    const { id } = await place.sessions.create({ agent: 'scripted' }, ann);
    place.script = async function* () {
      yield { type: 'text_delta', text: 'started' };
      await ignoring.promise;
    };
    await place.sessions.send(id, 'go', ann);
    await eventsUntil(place.sessions, id, ({ type }) => type === 'text_delta');
    await place.sessions.delete(id);
    assert.equal(await place.sessions.count(), 0);
  });

  test('the turn of a removed agent ends with `agent-unknown`', async (t) => {
    const place = await openSessionFixture();
    t.after(() => place.close());
    const { id } = await place.sessions.create({ agent: 'scripted' }, ann);
    place.agents = ['demo'];
    const events = await runTurn(place.sessions, id, 'go');
    assert.equal(events.find((event) => event.type === 'error')?.code, 'agent-unknown');
    place.agents = ['demo', 'scripted'];
    assert.equal((await runTurn(place.sessions, id, 'go')).at(-1)?.type, 'done');
  });
});
