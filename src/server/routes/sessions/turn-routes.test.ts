import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bodyOf } from '../../../../test/support/http/http-server.ts';
import { textTurn, textOf, typesOf, untilInterrupted } from '../../../../test/support/sessions/session-fixture.ts';
import { eventsOf, isDone, openSessionServer } from '../../../../test/support/sessions/session-server.ts';
import type { SentMessage, Session } from '../../../sessions/sessions.ts';
import type { ProblemDocument } from '../../problems/problem.ts';

describe('POST /api/sessions/{id}/messages', () => {
  it('streams the events of the turn from its message to `done`', async (test) => {
    const { create, say } = await openSessionServer(test);
    const stream = await say(await create(), 'ping the server');
    assert.equal(stream.status, 200);
    const events = await eventsOf(stream);
    const types = typesOf(events);
    assert.equal(types[0], 'user_message');
    assert.equal(types.at(-1), 'done');
    const calls = types.filter((type) => type.startsWith('tool_'));
    assert.deepEqual([calls[0], calls.at(-1)], ['tool_call_start', 'tool_result']);
    const result = events.find((event) => event.type === 'tool_result');
    assert.equal(result?.outcome, 'completed');
    assert.match(JSON.stringify(result?.content), /pong/);
  });

  it('returns 202 and the URL of the events without `Accept: text/event-stream`', async (test) => {
    const { ask, create, server, watch } = await openSessionServer(test);
    const id = await create();
    const sent = await ask('POST', `/api/sessions/${id}/messages`, { content: 'ping the server' });
    assert.equal(sent.status, 202);
    const { turnId, afterSeq, position } = await bodyOf<SentMessage>(sent);
    assert.deepEqual([afterSeq, position], [0, 0]);
    const location = new URL(sent.headers.get('location') ?? '', server.url);
    assert.equal(location.pathname, `/api/sessions/${id}/events`);
    const stream = await watch(id, { after: Number(location.searchParams.get('after')) });
    const events = await eventsOf(stream, isDone);
    stream.drop();
    assert.ok(events[0]?.type === 'user_message' && events[0].turnId === turnId);
  });

  it('starts no second turn for a repeated idempotency key', async (test) => {
    const { ask, create } = await openSessionServer(test);
    const [id, other] = [await create(), await create()];
    const send = async (session: string, idempotencyKey: string): Promise<string> =>
      (
        await bodyOf<SentMessage>(
          ask('POST', `/api/sessions/${session}/messages`, { content: 'ping the server', idempotencyKey }),
        )
      ).turnId;
    const [first, second] = await Promise.all([send(id, 'a'), send(id, 'a')]);
    assert.equal(first, second);
    assert.equal(await send(id, 'a'), first);
    assert.notEqual(await send(id, 'b'), first);
    assert.notEqual(await send(other, 'a'), first);
  });

  it('streams only its own turn when several are queued', async (test) => {
    const { create, say, fixture } = await openSessionServer(test);
    const id = await create({ agent: 'scripted' });
    const proceed = Promise.withResolvers<void>();
    fixture.script = async function* ({ content }) {
      if (content === 'first') await proceed.promise;
      yield* textTurn(`answer to ${content}`);
    };
    const first = await say(id, 'first');
    const second = await say(id, 'second');
    const third = await say(id, 'third');
    proceed.resolve();
    for (const [stream, content] of [
      [third, 'third'],
      [second, 'second'],
      [first, 'first'],
    ] as const) {
      const events = await eventsOf(stream);
      assert.equal(events.filter(({ type }) => type === 'user_message').length, 1);
      assert.equal(textOf(events), `answer to ${content}`);
      assert.equal(events.at(-1)?.type, 'done');
    }
  });

  it('continues the turn after a disconnect, and the client resumes without duplicates', async (test) => {
    const { create, say, watch, fixture } = await openSessionServer(test);
    const id = await create({ agent: 'scripted' });
    const proceed = Promise.withResolvers<void>();
    fixture.script = async function* () {
      yield { type: 'text_delta', text: 'one ' };
      await proceed.promise;
      yield* textTurn('two ', 'three');
    };
    const dropped = await say(id, 'count');
    const before = await eventsOf(dropped, ({ type }) => type === 'text_delta');
    dropped.drop();
    proceed.resolve();
    const stream = await watch(id, { lastEventId: dropped.lastEventId() });
    const after = await eventsOf(stream, isDone);
    stream.drop();
    assert.equal(textOf([...before, ...after]), 'one two three');
    const seqs = [...before, ...after].map(({ seq }) => seq);
    assert.deepEqual(
      seqs,
      seqs.map((_, index) => index + 1),
    );
  });

  it('starts turns that one interrupt ends, running and queued', async (test) => {
    const { ask, create, say, fixture } = await openSessionServer(test);
    const id = await create({ agent: 'scripted' });
    fixture.script = untilInterrupted;
    const running = await say(id, 'first');
    await eventsOf(running, ({ type }) => type === 'text_delta');
    const waiting = await say(id, 'second');
    const interrupted = await ask('POST', `/api/sessions/${id}/interrupt`);
    assert.deepEqual([interrupted.status, await bodyOf(interrupted)], [200, { interrupted: true }]);
    for (const stream of [running, waiting]) {
      const last = (await eventsOf(stream)).at(-1);
      assert.ok(last?.type === 'done' && last.reason === 'interrupted');
    }
    assert.deepEqual(await bodyOf(ask('POST', `/api/sessions/${id}/interrupt`)), { interrupted: false });
  });

  it('refuses invalid messages, and messages beyond the limit of the queue', async (test) => {
    const { ask, create, fixture } = await openSessionServer(test);
    const id = await create({ agent: 'scripted' });
    fixture.script = untilInterrupted;
    const send = (body: object): Promise<Response> => ask('POST', `/api/sessions/${id}/messages`, body);
    for (const body of [{}, { content: 7 }, { content: 'x', more: 1 }]) assert.equal((await send(body)).status, 400);
    assert.equal((await send({ content: ' ' })).status, 422);
    for (;;) {
      const sent = await send({ content: 'x' });
      if (sent.status === 202) continue;
      assert.equal(sent.status, 429);
      assert.ok(sent.headers.has('retry-after'));
      assert.equal((await bodyOf<ProblemDocument>(sent)).code, 'session-busy');
      break;
    }
    assert.equal((await bodyOf<Session>(ask('GET', `/api/sessions/${id}`))).queued, 100);
  });
});

describe('answers during a turn', () => {
  it('an approval runs the waiting call with the edited arguments; a second answer gets 409', async (test) => {
    const { ask, create, say, fixture } = await openSessionServer(test);
    const id = await create();
    const stream = await say(id, 'call mcp__notes__write {"text":"mine"}');
    const request = (await eventsOf(stream, ({ type }) => type === 'approval_required')).at(-1);
    assert.ok(request?.type === 'approval_required');
    const { toolCallId } = request;
    const approve = (): Promise<Response> =>
      ask('POST', `/api/sessions/${id}/approve`, { toolCallId, arguments: { text: 'edited' } });
    const approved = await approve();
    assert.deepEqual([approved.status, (await bodyOf<Session>(approved)).id], [200, id]);
    const events = await eventsOf(stream);
    assert.ok(events.some((event) => event.type === 'approval_resolved' && event.decision === 'approved'));
    assert.deepEqual(fixture.notes, ['edited']);
    for (const second of [await approve(), await ask('POST', `/api/sessions/${id}/deny`, { toolCallId })]) {
      assert.equal(second.status, 409);
      assert.equal((await bodyOf<ProblemDocument>(second)).code, 'approval-answered');
    }
  });

  it('a denial ends the call with its reason', async (test) => {
    const { ask, create, say, fixture } = await openSessionServer(test);
    const id = await create();
    const stream = await say(id, 'call mcp__notes__write {"text":"mine"}');
    const request = (await eventsOf(stream, ({ type }) => type === 'approval_required')).at(-1);
    assert.ok(request?.type === 'approval_required');
    const { toolCallId } = request;
    const denied = await ask('POST', `/api/sessions/${id}/deny`, { toolCallId, reason: 'not today' });
    assert.equal(denied.status, 200);
    const result = (await eventsOf(stream)).find((event) => event.type === 'tool_result');
    assert.equal(result?.outcome, 'denied');
    assert.match(JSON.stringify(result.content), /not today/);
    assert.deepEqual(fixture.notes, []);
    const unknown = await ask('POST', `/api/sessions/${id}/approve`, { toolCallId: 'none' });
    assert.deepEqual([unknown.status, (await bodyOf<ProblemDocument>(unknown)).code], [404, 'approval-unknown']);
  });

  it('an answer reaches the agent once; a second one gets 409', async (test) => {
    const { ask, create, say, fixture } = await openSessionServer(test);
    const id = await create({ agent: 'scripted' });
    fixture.script = async function* (turn) {
      const questions = [{ question: 'Which color?', options: [{ label: 'Blue' }, { label: 'Red' }] }];
      const answers = await turn.ask('question_1', questions);
      yield* textTurn(JSON.stringify(answers));
    };
    const stream = await say(id, 'paint it');
    await eventsOf(stream, ({ type }) => type === 'question_prompt');
    const submit = (toolCallId: string): Promise<Response> =>
      ask('POST', `/api/sessions/${id}/submit-answers`, { toolCallId, answers: { 'Which color?': 'Blue' } });
    assert.equal((await submit('question_1')).status, 200);
    assert.equal(textOf(await eventsOf(stream)), '{"Which color?":"Blue"}');
    const [second, unknown] = [await submit('question_1'), await submit('question_2')];
    assert.deepEqual([second.status, (await bodyOf<ProblemDocument>(second)).code], [409, 'question-answered']);
    assert.deepEqual([unknown.status, (await bodyOf<ProblemDocument>(unknown)).code], [404, 'question-unknown']);
  });
});
