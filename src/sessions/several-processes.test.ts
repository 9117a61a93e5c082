import assert from 'node:assert/strict';
import { type TestContext, after, describe, test } from 'node:test';
import pg from 'pg';
import { startPostgres } from '../../test/support/postgres.ts';
import {
  type SessionPlace,
  ann,
  eventsUntil,
  openSessionPlace,
  says,
  untilInterrupted,
} from '../../test/support/sessions/session-place.ts';
import { askingServer } from '../../test/support/sessions/asking-server.ts';
import { until } from '../../test/mcp-servers/boxed.ts';
import { within } from '../../test/support/within.ts';
import type { JsonObject } from '../core/json/json.ts';
import { postgresStore } from '../store/postgres/postgres-store.ts';
import type { SessionEvent } from './events/session-event.ts';

const cluster = await startPostgres();
after(() => cluster.end());
let places = 0;

/** Less than the polling interval without notifications. */
const toldMs = 12_000;

/** Simulates processes on one store, each with its limit of concurrent turns. */
async function processes<Count extends readonly number[]>(
  t: TestContext,
  ...atOnce: Count
): Promise<{ [Index in keyof Count]: SessionPlace }> {
  const address = cluster.address(`several_${(places += 1)}`);
  const opened: SessionPlace[] = [];
  t.after(() => Promise.all(opened.map((place) => place.close())));
  for (const turnsAtOnce of atOnce)
    opened.push(await openSessionPlace({ box: { store: await postgresStore({ address }) }, turnsAtOnce }));
  return opened as { [Index in keyof Count]: SessionPlace };
}

const isDone = ({ type }: SessionEvent): boolean => type === 'done';

describe('sessions of several processes', () => {
  test('a message taken by one is run by another, and told at a third as it happens, without gap or duplicate', async (t) => {
    const [web, worker, third] = await processes(t, 0, 4, 0);
    const go = Promise.withResolvers<void>();
    worker.script = async function* () {
      yield { type: 'text_delta', text: 'first' };
      await go.promise;
      yield* says(...Array.from({ length: 50 }, (_, index) => ` ${index}`));
    };
    const { id } = await web.sessions.create({ agent: 'scripted' }, ann);
    const heard: SessionEvent[] = [];
    web.sessions.subscribe((event) => heard.push(event));
    const watched = eventsUntil(third.sessions, id, isDone, 0);
    await web.sessions.send(id, 'go', ann);
    const isFirst = (event: SessionEvent): boolean => event.type === 'text_delta' && event.text.startsWith('first');
    await within(eventsUntil(third.sessions, id, isFirst, 0), 'the beginning is told', undefined, toldMs);
    go.resolve();
    const events = await within(watched, 'all of it is told', undefined, toldMs);
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    );
    const text = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');
    assert.match(text, /^first 0 1 2 .* 48 49$/);
    await until(() => heard.some(isDone), 'whoever listens to all sessions hears it too');
    assert.deepEqual(heard, events);
  });

  test('an interruption reaches the process that runs the turn', async (t) => {
    const [web, worker] = await processes(t, 0, 4);
    worker.script = untilInterrupted;
    const { id } = await web.sessions.create({ agent: 'scripted' }, ann);
    await web.sessions.send(id, 'go', ann);
    await web.sessions.send(id, 'never', ann);
    await eventsUntil(web.sessions, id, ({ type }) => type === 'text_delta');
    assert.equal(await web.sessions.interrupt(id), true);
    let ends = 0;
    const ended = eventsUntil(web.sessions, id, (event) => isDone(event) && (ends += 1) === 2, 0);
    const events = await within(ended, 'both turns end', undefined, toldMs);
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'done' ? [event.reason] : [])),
      ['interrupted', 'interrupted'],
    );
  });

  test('a question and an approval are answered at another process, by the id of the call, once', async (t) => {
    const [web, worker] = await processes(t, 0, 4);
    const heard: unknown[] = [];
    worker.script = async function* ({ ask, tools, signal }) {
      heard.push(await ask('q', [{ question: 'Tea?', header: 'Tea', options: [], multiSelect: false }]));
      tools.list();
      await tools.call('mcp__notes__write', { text: 'milk' }, { toolCallId: 'c', signal });
      yield { type: 'done', reason: 'end' };
    };
    const { id } = await web.sessions.create({ agent: 'scripted' }, ann);
    await web.sessions.send(id, 'go', ann);
    await eventsUntil(web.sessions, id, ({ type }) => type === 'question_prompt');
    await assert.rejects(web.sessions.answer(id, 'other', {}, ann), { code: 'question-unknown' });
    const twice = await within(
      Promise.allSettled([1, 2].map((n) => web.sessions.answer(id, 'q', { 'Tea?': n }, ann))),
      'the answers arrive',
      undefined,
      toldMs,
    );
    assert.deepEqual(twice.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    const refused = twice.find((each) => each.status === 'rejected');
    assert.equal((refused?.reason as { code?: string } | undefined)?.code, 'question-answered');
    await eventsUntil(web.sessions, id, ({ type }) => type === 'approval_required');
    await web.sessions.approve(id, 'c', { by: ann });
    await within(eventsUntil(web.sessions, id, isDone), 'the turn goes on', undefined, toldMs);
    await assert.rejects(web.sessions.approve(id, 'c', { by: ann }), { code: 'approval-answered' });
    await assert.rejects(web.sessions.answer(id, 'q', {}, ann), { code: 'question-answered' });
    assert.deepEqual([heard.length, worker.notes], [1, ['milk']]);
  });

  test('a form of a server is listed and answered at another process, once, and ends with its process', async (t) => {
    const [web, worker] = await processes(t, 0, 4);
    worker.box.servers.add(askingServer());
    worker.box.secrets.add('TEA', 'a-registered-secret');
    web.box.secrets.add('TEA', 'a-registered-secret');
    const results: string[] = [];
    worker.script = async function* ({ tools, signal }) {
      tools.list();
      const { content } = await tools.call('mcp__asking__form', {}, { toolCallId: 'c', signal });
      results.push(JSON.stringify(content));
      yield { type: 'done', reason: 'end' };
    };
    const { id } = await web.sessions.create({ agent: 'scripted' }, ann);
    const asked = async (): Promise<string> => {
      const { afterSeq } = await web.sessions.send(id, 'go', ann);
      const isAsked = ({ type }: SessionEvent): boolean => type === 'elicitation_required';
      const told = eventsUntil(web.sessions, id, isAsked, afterSeq);
      const [last] = (await within(told, 'it is told', undefined, toldMs)).slice(-1);
      assert.ok(last?.type === 'elicitation_required');
      return last.elicitationId;
    };
    const first = await asked();
    await until(async () => (await web.sessions.elicitations()).length === 1, 'it is listed');
    const answer = (content: object): Promise<void> =>
      web.sessions.answerElicitation(id, first, { action: 'accept', content: content as JsonObject }, ann);
    await assert.rejects(answer({ name: 7 }), { code: 'elicitation-invalid', message: /\$\.name/ });
    await assert.rejects(answer({ name: 'a-registered-secret' }), { code: 'elicitation-invalid', message: /secret/ });
    const twice = await Promise.allSettled([answer({ name: 'Ann' }), answer({ name: 'Ann' })]);
    assert.deepEqual(twice.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    await within(eventsUntil(web.sessions, id, isDone), 'the turn goes on', undefined, toldMs);
    assert.match(results.join(), /Ann/);
    await assert.rejects(answer({ name: 'Ann' }), { code: 'elicitation-closed' });
    const second = await asked();
    await worker.sessions.close({ graceMs: 0 });
    const isResolved = (event: SessionEvent): boolean =>
      event.type === 'elicitation_resolved' && event.elicitationId === second;
    const [resolved] = (await within(eventsUntil(web.sessions, id, isResolved), 'it ends')).slice(-1);
    assert.ok(resolved?.type === 'elicitation_resolved' && resolved.action === 'cancel');
  });

  test('deleting a session ends its turn at one process, and what is watched at another', async (t) => {
    const [web, worker, third] = await processes(t, 0, 4, 0);
    let reason: unknown;
    worker.script = async function* (turn) {
      yield* untilInterrupted(turn);
      reason = turn.signal.reason;
    };
    const { id } = await web.sessions.create({ agent: 'scripted' }, ann);
    await web.sessions.send(id, 'go', ann);
    await eventsUntil(third.sessions, id, ({ type }) => type === 'text_delta');
    const watching = (async () => {
      for await (const _ of third.sessions.events(id, { signal: new AbortController().signal }));
    })();
    await web.sessions.delete(id);
    await within(watching, 'the watching ends', undefined, toldMs);
    await until(() => reason !== undefined, 'the turn ends');
    assert.match(String(reason), /the session was deleted/);
    await assert.rejects(third.sessions.get(id), { code: 'session-unknown' });
  });

  test('a message that comes again under its key begins no second turn, wherever it comes', async (t) => {
    const [one, two] = await processes(t, 4, 4);
    for (const place of [one, two]) place.script = () => says('once');
    const { id } = await one.sessions.create({ agent: 'scripted' }, ann);
    const send = (place: SessionPlace, key: string, by = ann as { id: string; kind: 'human' }) =>
      place.sessions.send(id, 'go', by, { idempotencyKey: key });
    const [first, again] = await Promise.all([send(one, 'k'), send(two, 'k')]);
    assert.deepEqual(again, first);
    await eventsUntil(two.sessions, id, isDone, 0);
    assert.deepEqual(await send(two, 'k'), first, 'also when its turn is over');
    assert.notEqual((await send(two, 'k', { id: 'bob', kind: 'human' })).turnId, first.turnId);
  });

  test('what one has no room for another runs, and a turn that waits for a human takes no room', async (t) => {
    const [one, two] = await processes(t, 1, 1);
    const begun: string[] = [];
    const stop = Promise.withResolvers<void>();
    for (const [name, place] of [
      ['one', one],
      ['two', two],
    ] as const)
      place.script = async function* ({ ask, content }) {
        begun.push(`${name} ${content}`);
        if (content === 'ask') await ask('q', []);
        await stop.promise;
        yield* says(content);
      };
    const send = async (content: string): Promise<string> => {
      const { id } = await one.sessions.create({ agent: 'scripted' }, ann);
      await one.sessions.send(id, content, ann);
      return id;
    };
    const asks = await send('ask');
    await eventsUntil(one.sessions, asks, ({ type }) => type === 'question_prompt');
    await send('a');
    await until(() => begun.includes('one a'), 'the first has room while a turn waits for a human');
    await send('b');
    await within(
      until(() => begun.includes('two b'), 'the second runs it'),
      'the second runs it',
      undefined,
      toldMs,
    );
    const [c, d] = [await send('c'), await send('d')];
    assert.equal(begun.length, 3, 'there is no room');
    await one.sessions.answer(asks, 'q', {}, ann);
    stop.resolve();
    await Promise.all([c, d].map((id) => eventsUntil(two.sessions, id, isDone)));
    const contents = begun.map((each) => each.replace(/^\w+ /, ''));
    assert.deepEqual(contents.toSorted(), ['a', 'ask', 'b', 'c', 'd'], 'each once');
  });

  test('where there is no room, the message that has waited longest comes first, whichever session it is of', async (t) => {
    const [one] = await processes(t, 1);
    const begun: string[] = [];
    const stop = Promise.withResolvers<void>();
    one.script = async function* ({ content }) {
      begun.push(content);
      await stop.promise;
      yield* says(content);
    };
    const ids: string[] = [];
    for (let session = 0; session < 3; session += 1)
      ids.push((await one.sessions.create({ agent: 'scripted' }, ann)).id);
    const [a = '', b = '', c = ''] = ids;
    for (const [session, content] of [
      [a, 'a1'],
      [b, 'b1'],
      [a, 'a2'],
      [c, 'c1'],
      [a, 'a3'],
    ] as const)
      await one.sessions.send(session, content, ann);
    stop.resolve();
    await until(() => begun.length === 5, 'all have run');
    assert.deepEqual(begun, ['a1', 'b1', 'a2', 'c1', 'a3']);
  });

  test('a turn that another process took for lost by mistake is left, without a word', async (t) => {
    const [worker] = await processes(t, 4, 0);
    let isOver = false;
    worker.script = async function* (turn) {
      yield* untilInterrupted(turn);
      isOver = true;
    };
    const { id } = await worker.sessions.create({ agent: 'scripted' }, ann);
    await worker.sessions.send(id, 'go', ann);
    await eventsUntil(worker.sessions, id, ({ type }) => type === 'text_delta');
    const schema = `several_${places}`;
    const client = new pg.Client({ connectionString: cluster.address(schema).replace(/\?.*/, '') });
    await client.connect();
    await client.query(
      `UPDATE ${schema}.turns SET writer = (SELECT name FROM ${schema}.writers WHERE name <> turns.writer)`,
    );
    await client.end();
    await until(() => isOver, 'the turn is left');
    const { lastSeq, state } = await worker.sessions.get(id);
    assert.equal(state, 'running', 'for the other to end');
    const told = await eventsUntil(worker.sessions, id, ({ seq }) => seq === lastSeq, 0);
    assert.ok(!told.some(isDone));
  });
});
