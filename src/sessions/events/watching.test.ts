import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { runSeed, seeded } from '../../../test/support/seeded.ts';
import {
  type SessionFixture,
  ann,
  collect,
  eventsUntil,
  openSessionFixture,
  runTurn,
  textTurn,
  textOf,
} from '../../../test/support/sessions/session-fixture.ts';
import type { SessionEvent } from './session-event.ts';

describe('events of a session', () => {
  let place: SessionFixture;
  before(async () => {
    place = await openSessionFixture();
  });
  after(() => place.close());
  const create = async (agent = 'scripted'): Promise<string> => (await place.sessions.create({ agent }, ann)).id;

  /** Watches, disconnects and resumes at random, until the last turn has ended. */
  async function watchWithDisconnects(id: string, turns: number, random: () => number): Promise<SessionEvent[]> {
    const seen: SessionEvent[] = [];
    let dones = 0;
    while (dones < turns) {
      const disconnect = new AbortController();
      const maxEvents = Math.floor(random() * 12);
      if (random() < 0.3) setTimeout(() => disconnect.abort(), random() * 3);
      let received = 0;
      for await (const event of place.sessions.events(id, {
        after: seen.at(-1)?.seq ?? 0,
        signal: disconnect.signal,
      })) {
        seen.push(event);
        if (event.type === 'done') dones += 1;
        received += 1;
        if (received > maxEvents || dones === turns) break;
        if (random() < 0.1) await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
    return seen;
  }

  test('are the same sequence, without gap or duplicate, for watchers that disconnect and resume', async () => {
    const pieces = fc.array(fc.string({ unit: 'grapheme', maxLength: 5 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { minLength: 1, maxLength: 3 }), fc.integer(), async (turns, seed) => {
        const random = seeded(seed);
        const id = await create();
        place.script = ({ content }) => textTurn(...(turns[Number(content)] ?? []));
        const subscribed: SessionEvent[] = [];
        const stop = place.sessions.subscribe((event) => void (event.sessionId === id && subscribed.push(event)));
        const watching = Array.from({ length: 3 }, () => watchWithDisconnects(id, turns.length, random));
        for (const index of turns.keys()) await place.sessions.send(id, `${index}`, ann);
        const [first = [], ...others] = await Promise.all(watching);
        stop();
        assert.deepEqual(
          first.map(({ seq }) => seq),
          first.map((_, index) => index + 1),
        );
        for (const other of others) assert.deepEqual(other, first);
        assert.deepEqual(subscribed, first, 'listeners receive the same events');
        assert.equal(textOf(first), turns.flat().join(''));
      }),
      { numRuns: 40, seed: runSeed },
    );
  });

  test('are buffered for a watcher that stops reading, which delays neither the turn nor other watchers', async () => {
    const id = await create();
    place.script = () => textTurn(...Array.from({ length: 500 }, (_, index) => `${index} `));
    const stuck = place.sessions.events(id, { after: 0, signal: AbortSignal.timeout(20_000) })[Symbol.asyncIterator]();
    const begun = stuck.next();
    const events = await runTurn(place.sessions, id, 'go');
    assert.equal((await begun).value?.seq, 1);
    assert.ok(events.length > 400);
    const rest = [1];
    for (let next = await stuck.next(); next.value?.type !== 'done'; next = await stuck.next())
      rest.push(next.value?.seq ?? 0);
    assert.deepEqual(
      rest,
      rest.map((_, index) => index + 1),
      'no event is missing when it reads again',
    );
  });

  test('start with the running or last turn for a new watcher, followed by later events', async () => {
    const id = await create();
    place.script = ({ content }) => textTurn(content);
    await runTurn(place.sessions, id, 'first');
    await runTurn(place.sessions, id, 'second');
    const started = Promise.withResolvers<void>();
    const watching = eventsUntil(place.sessions, id, (event) => {
      started.resolve();
      return event.type === 'user_message' && event.content === 'third';
    });
    await started.promise;
    await place.sessions.send(id, 'third', ann);
    const messages = (await watching).flatMap((event) => (event.type === 'user_message' ? [event.content] : []));
    assert.deepEqual(messages, ['second', 'third']);
  });

  test('after a sequence number beyond the end are all later events', async () => {
    const id = await create();
    place.script = ({ content }) => textTurn(content);
    await runTurn(place.sessions, id, 'first');
    const watching = eventsUntil(place.sessions, id, ({ type }) => type === 'done', 1_000_000);
    // Resolves after the watcher has read the last sequence number.
    await place.sessions.get(id);
    const events = await runTurn(place.sessions, id, 'second');
    assert.deepEqual(await watching, events);
  });

  test('deltas of one tick are joined to one event, and only the latest progress is emitted', async () => {
    const id = await create();
    place.script = async function* () {
      for (const text of ['a', 'b', 'c']) yield { type: 'text_delta', text };
      yield { type: 'thinking_delta', text: 'hm' };
      for (const inputJson of ['{"a"', ':1}']) yield { type: 'tool_call_delta', toolCallId: 'one', inputJson };
      yield { type: 'tool_call_delta', toolCallId: 'two', inputJson: '{}' };
      for (let progress = 1; progress <= 9; progress += 1)
        yield { type: 'tool_progress', toolCallId: 'two', progress: { progress } };
      yield { type: 'done', reason: 'end' };
    };
    const events = await runTurn(place.sessions, id, 'go');
    assert.deepEqual(
      events.flatMap((event) => ('text' in event ? [event.text] : [])),
      ['abc', 'hm'],
    );
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'tool_call_delta' ? [event.inputJson] : [])),
      ['{"a":1}', '{}'],
    );
    assert.deepEqual(
      events.flatMap((event) => (event.type === 'tool_progress' ? [event.progress.progress] : [])),
      [9],
    );
  });

  test('end with the signal, and with `close` after the existing events', async (t) => {
    const other = await openSessionFixture();
    t.after(() => other.close());
    const { id } = await other.sessions.create({ agent: 'scripted' }, ann);
    other.script = () => textTurn('before the end');
    await runTurn(other.sessions, id, 'go');
    const controller = new AbortController();
    const isRead = Promise.withResolvers<void>();
    async function* read(): AsyncGenerator<SessionEvent> {
      for await (const event of other.sessions.events(id, { signal: controller.signal })) {
        yield event;
        if (event.type === 'done') isRead.resolve();
      }
    }
    const one = collect(read());
    const two = collect(other.sessions.events(id, { signal: new AbortController().signal }));
    await isRead.promise;
    controller.abort();
    const all = await one;
    await other.sessions.close({ graceMs: 0 });
    assert.deepEqual(await two, all);
    assert.equal(all.at(-1)?.type, 'done');
  });

  test('are trimmed to the newest ones, and the sequence numbers continue', async (t) => {
    const other = await openSessionFixture({ keepEvents: 20 });
    t.after(() => other.close());
    const { id } = await other.sessions.create({ agent: 'scripted' }, ann);
    other.script = () => textTurn(...Array.from({ length: 30 }, () => 'x'));
    await runTurn(other.sessions, id, 'first');
    const { lastSeq } = await other.sessions.get(id);
    const events = await runTurn(other.sessions, id, 'second');
    assert.equal(events[0]?.seq, lastSeq + 1);
    const stored = await eventsUntil(other.sessions, id, ({ type }) => type === 'user_message', 0);
    assert.equal(stored[0]?.seq, lastSeq - 19);
  });
});
