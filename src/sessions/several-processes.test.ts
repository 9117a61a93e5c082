import assert from 'node:assert/strict';
import { type TestContext, after, describe, test } from 'node:test';
import pg from 'pg';
import { startPostgres } from '../../test/support/postgres/postgres.ts';
import {
  type SessionFixture,
  ann,
  eventsUntil,
  openSessionFixture,
  textTurn,
  untilInterrupted,
} from '../../test/support/sessions/session-fixture.ts';
import { elicitingServer } from '../../test/support/sessions/eliciting-server.ts';
import { until } from '../../test/mcp-servers/boxed.ts';
import { within } from '../../test/support/within.ts';
import type { JsonObject } from '../core/json/json.ts';
import { postgresStore } from '../store/postgres/postgres-store.ts';
import type { SessionEvent } from './events/session-event.ts';

const cluster = await startPostgres();
after(() => cluster.end());
let places = 0;

/** Less than the polling interval without notifications. */
const deliveryMs = 12_000;

/** Opens sessions on one store like several processes, each with its limit of concurrent turns. */
async function processes<Count extends readonly number[]>(
  t: TestContext,
  ...atOnce: Count
): Promise<{ [Index in keyof Count]: SessionFixture }> {
  const address = cluster.address(`several_${(places += 1)}`);
  const opened: SessionFixture[] = [];
  t.after(() => Promise.all(opened.map((place) => place.close())));
  for (const turnsAtOnce of atOnce)
    opened.push(await openSessionFixture({ box: { store: await postgresStore({ address }) }, turnsAtOnce }));
  return opened as { [Index in keyof Count]: SessionFixture };
}

const isDone = ({ type }: SessionEvent): boolean => type === 'done';

describe('sessions of several processes', () => {
  test('a message to one process is run by another, and a third receives the events live, without gap or duplicate', async (t) => {
    const [web, worker, third] = await processes(t, 0, 4, 0);
    const proceed = Promise.withResolvers<void>();
    worker.script = async function* () {
      yield { type: 'text_delta', text: 'first' };
      await proceed.promise;
      yield* textTurn(...Array.from({ length: 50 }, (_, index) => ` ${index}`));
    };
    const { id } = await web.sessions.create({ agent: 'scripted' }, ann);
    const emitted: SessionEvent[] = [];
    web.sessions.subscribe((event) => emitted.push(event));
    const watched = eventsUntil(third.sessions, id, isDone, 0);
    await web.sessions.send(id, 'go', ann);
    const isFirst = (event: SessionEvent): boolean => event.type === 'text_delta' && event.text.startsWith('first');
    await within(eventsUntil(third.sessions, id, isFirst, 0), 'the first event arrives', undefined, deliveryMs);
    proceed.resolve();
    const events = await within(watched, 'all events arrive', undefined, deliveryMs);
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    );
    const text = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('');
    assert.match(text, /^first 0 1 2 .* 48 49$/);
    await until(() => emitted.some(isDone), 'listeners receive the events');
    assert.deepEqual(emitted, events);
  });

  test('an interrupt reaches the process that runs the turn', async (t) => {
    const [web, worker] = await processes(t, 0, 4);
    worker.script = untilInterrupted;
    const { id } = await web.sessions.create({ agent: 'scripted' }, ann);
    await web.sessions.send(id, 'go', ann);
    await web.sessions.send(id, 'never', ann);
    await eventsUntil(web.sessions, id, ({ type }) => type === 'text_delta');
    assert.equal(await web.sessions.interrupt(id), true);
    let ends = 0;
    const ended = eventsUntil(web.sessions, id, (event) => isDone(event) && (ends += 1) === 2, 0);
    const events = await within(ended, 'both turns end', undefined, deliveryMs);
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'done' ? [event.reason] : [])),
      ['interrupted', 'interrupted'],
    );
  });

  test('a question and an approval can be answered once at another process, by the id of the call', async (t) => {
    const [web, worker] = await processes(t, 0, 4);
    const answers: unknown[] = [];
    worker.script = async function* ({ ask, tools, signal }) {
      answers.push(await ask('q', [{ question: 'Tea?', header: 'Tea', options: [], multiSelect: false }]));
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
      deliveryMs,
    );
    assert.deepEqual(twice.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    const refused = twice.find((each) => each.status === 'rejected');
    assert.equal((refused?.reason as { code?: string } | undefined)?.code, 'question-answered');
    await eventsUntil(web.sessions, id, ({ type }) => type === 'approval_required');
    await web.sessions.approve(id, 'c', { by: ann });
    await within(eventsUntil(web.sessions, id, isDone), 'the turn continues', undefined, deliveryMs);
    await assert.rejects(web.sessions.approve(id, 'c', { by: ann }), { code: 'approval-answered' });
    await assert.rejects(web.sessions.answer(id, 'q', {}, ann), { code: 'question-answered' });
    assert.deepEqual([answers.length, worker.notes], [1, ['milk']]);
  });

  test('a form of a server is listed and answered once at another process, and is cancelled when its process closes', async (t) => {
    const [web, worker] = await processes(t, 0, 4);
    worker.box.servers.add(elicitingServer());
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
    const elicit = async (): Promise<string> => {
      const { afterSeq } = await web.sessions.send(id, 'go', ann);
      const isQuestion = ({ type }: SessionEvent): boolean => type === 'elicitation_required';
      const events = eventsUntil(web.sessions, id, isQuestion, afterSeq);
      const [last] = (await within(events, 'the question arrives', undefined, deliveryMs)).slice(-1);
      assert.ok(last?.type === 'elicitation_required');
      return last.elicitationId;
    };
    const first = await elicit();
    await until(async () => (await web.sessions.elicitations()).length === 1, 'the question is listed');
    const answer = (content: object): Promise<void> =>
      web.sessions.answerElicitation(id, first, { action: 'accept', content: content as JsonObject }, ann);
    await assert.rejects(answer({ name: 7 }), { code: 'elicitation-invalid', message: /\$\.name/ });
    await assert.rejects(answer({ name: 'a-registered-secret' }), { code: 'elicitation-invalid', message: /secret/ });
    const twice = await Promise.allSettled([answer({ name: 'Ann' }), answer({ name: 'Ann' })]);
    assert.deepEqual(twice.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    await within(eventsUntil(web.sessions, id, isDone), 'the turn continues', undefined, deliveryMs);
    assert.match(results.join(), /Ann/);
    await assert.rejects(answer({ name: 'Ann' }), { code: 'elicitation-closed' });
    const second = await elicit();
    await worker.sessions.close({ graceMs: 0 });
    const isResolved = (event: SessionEvent): boolean =>
      event.type === 'elicitation_resolved' && event.elicitationId === second;
    const [resolved] = (await within(eventsUntil(web.sessions, id, isResolved), 'the question is resolved')).slice(-1);
    assert.ok(resolved?.type === 'elicitation_resolved' && resolved.action === 'cancel');
  });

  test('a deletion ends the turn at one process and the watchers at another', async (t) => {
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
    await within(watching, 'the watcher ends', undefined, deliveryMs);
    await until(() => reason !== undefined, 'the turn ends');
    assert.match(String(reason), /the session was deleted/);
    await assert.rejects(third.sessions.get(id), { code: 'session-unknown' });
  });

  test('a repeated idempotency key starts no second turn at any process', async (t) => {
    const [one, two] = await processes(t, 4, 4);
    for (const place of [one, two]) place.script = () => textTurn('once');
    const { id } = await one.sessions.create({ agent: 'scripted' }, ann);
    const send = (place: SessionFixture, key: string, by = ann as { id: string; kind: 'human' }) =>
      place.sessions.send(id, 'go', by, { idempotencyKey: key });
    const [first, second] = await Promise.all([send(one, 'k'), send(two, 'k')]);
    assert.deepEqual(second, first);
    await eventsUntil(two.sessions, id, isDone, 0);
    assert.deepEqual(await send(two, 'k'), first, 'also after its turn');
    assert.notEqual((await send(two, 'k', { id: 'bob', kind: 'human' })).turnId, first.turnId);
  });

  test('a process runs turns for which another has no capacity; a turn that waits for a human takes no capacity', async (t) => {
    const [one, two] = await processes(t, 1, 1);
    const started: string[] = [];
    const stop = Promise.withResolvers<void>();
    for (const [name, place] of [
      ['one', one],
      ['two', two],
    ] as const)
      place.script = async function* ({ ask, content }) {
        started.push(`${name} ${content}`);
        if (content === 'ask') await ask('q', []);
        await stop.promise;
        yield* textTurn(content);
      };
    const send = async (content: string): Promise<string> => {
      const { id } = await one.sessions.create({ agent: 'scripted' }, ann);
      await one.sessions.send(id, content, ann);
      return id;
    };
    const asks = await send('ask');
    await eventsUntil(one.sessions, asks, ({ type }) => type === 'question_prompt');
    await send('a');
    await until(() => started.includes('one a'), 'a waiting turn takes no capacity');
    await send('b');
    await within(
      until(() => started.includes('two b'), 'the second process runs it'),
      'the second process runs it',
      undefined,
      deliveryMs,
    );
    const [c, d] = [await send('c'), await send('d')];
    assert.equal(started.length, 3, 'there is no capacity');
    await one.sessions.answer(asks, 'q', {}, ann);
    stop.resolve();
    await Promise.all([c, d].map((id) => eventsUntil(two.sessions, id, isDone)));
    const contents = started.map((each) => each.replace(/^\w+ /, ''));
    assert.deepEqual(contents.toSorted(), ['a', 'ask', 'b', 'c', 'd'], 'each turn ran once');
  });

  test('without free capacity, the message of any session that waited longest runs first', async (t) => {
    const [one] = await processes(t, 1);
    const started: string[] = [];
    const stop = Promise.withResolvers<void>();
    one.script = async function* ({ content }) {
      started.push(content);
      await stop.promise;
      yield* textTurn(content);
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
    await until(() => started.length === 5, 'all turns ran');
    assert.deepEqual(started, ['a1', 'b1', 'a2', 'c1', 'a3']);
  });

  test('a turn that another process took over as lost is abandoned without events', async (t) => {
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
    await until(() => isOver, 'the turn is abandoned');
    const { lastSeq, state } = await worker.sessions.get(id);
    assert.equal(state, 'running', 'the other process ends it');
    const events = await eventsUntil(worker.sessions, id, ({ seq }) => seq === lastSeq, 0);
    assert.ok(!events.some(isDone));
  });
});
