import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { runSeed, seeded } from '../../../test/support/seeded.ts';
import {
  type SessionPlace,
  ann,
  collect,
  eventsUntil,
  openSessionPlace,
  runTurn,
  says,
  textOf,
} from '../../../test/support/sessions/session-place.ts';
import type { SessionEvent } from './session-event.ts';

describe('watching a session', () => {
  let place: SessionPlace;
  before(async () => {
    place = await openSessionPlace();
  });
  after(() => place.close());
  const create = async (agent = 'scripted'): Promise<string> => (await place.sessions.create({ agent }, ann)).id;

  /** Watches, disconnects and reconnects at random, until the last turn has ended. */
  async function watchBrokenly(id: string, turns: number, random: () => number): Promise<SessionEvent[]> {
    const seen: SessionEvent[] = [];
    let dones = 0;
    while (dones < turns) {
      const leaving = new AbortController();
      const patience = Math.floor(random() * 12);
      if (random() < 0.3) setTimeout(() => leaving.abort(), random() * 3);
      let heard = 0;
      for await (const event of place.sessions.events(id, { after: seen.at(-1)?.seq ?? 0, signal: leaving.signal })) {
        seen.push(event);
        if (event.type === 'done') dones += 1;
        heard += 1;
        if (heard > patience || dones === turns) break;
        if (random() < 0.1) await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
    return seen;
  }

  test('watchers that drop off and come back see exactly the same sequence, without gap or duplicate', async () => {
    const pieces = fc.array(fc.string({ unit: 'grapheme', maxLength: 5 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { minLength: 1, maxLength: 3 }), fc.integer(), async (turns, seed) => {
        const random = seeded(seed);
        const id = await create();
        place.script = ({ content }) => says(...(turns[Number(content)] ?? []));
        const subscribed: SessionEvent[] = [];
        const stop = place.sessions.subscribe((event) => void (event.sessionId === id && subscribed.push(event)));
        const watching = Array.from({ length: 3 }, () => watchBrokenly(id, turns.length, random));
        for (const index of turns.keys()) await place.sessions.send(id, `${index}`, ann);
        const [first = [], ...others] = await Promise.all(watching);
        stop();
        assert.deepEqual(
          first.map(({ seq }) => seq),
          first.map((_, index) => index + 1),
        );
        for (const other of others) assert.deepEqual(other, first);
        assert.deepEqual(subscribed, first, 'who is told live is told the same');
        assert.equal(textOf(first), turns.flat().join(''));
      }),
      { numRuns: 40, seed: runSeed },
    );
  });

  test('a watcher that never reads on holds up neither the turn nor the others', async () => {
    const id = await create();
    place.script = () => says(...Array.from({ length: 500 }, (_, index) => `${index} `));
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
      'and it has missed nothing when it does',
    );
  });

  test('who comes without having seen anything sees the turn that runs, or the last one, and then what comes', async () => {
    const id = await create();
    place.script = ({ content }) => says(content);
    await runTurn(place.sessions, id, 'first');
    await runTurn(place.sessions, id, 'second');
    const watching = eventsUntil(
      place.sessions,
      id,
      (event) => event.type === 'user_message' && event.content === 'third',
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    await place.sessions.send(id, 'third', ann);
    const messages = (await watching).flatMap((event) => (event.type === 'user_message' ? [event.content] : []));
    assert.deepEqual(messages, ['second', 'third']);
  });

  test('who claims to have seen what was never told is told everything that comes', async () => {
    const id = await create();
    place.script = ({ content }) => says(content);
    await runTurn(place.sessions, id, 'first');
    const watching = eventsUntil(place.sessions, id, ({ type }) => type === 'done', 1_000_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const events = await runTurn(place.sessions, id, 'second');
    assert.deepEqual(await watching, events);
  });

  test('pieces that come at once are one event, and of progress the last is told', async () => {
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

  test('ends with the signal, and with closing, once everything was told', async (t) => {
    const other = await openSessionPlace();
    t.after(() => other.close());
    const { id } = await other.sessions.create({ agent: 'scripted' }, ann);
    other.script = () => says('before the end');
    await runTurn(other.sessions, id, 'go');
    const controller = new AbortController();
    const one = collect(other.sessions.events(id, { signal: controller.signal }));
    const two = collect(other.sessions.events(id, { signal: new AbortController().signal }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    const all = await one;
    await other.sessions.close({ graceMs: 0 });
    assert.deepEqual(await two, all);
    assert.equal(all.at(-1)?.type, 'done');
  });

  test('only the newest events are kept where there are too many, and the numbers go on', async (t) => {
    const other = await openSessionPlace({ keepEvents: 20 });
    t.after(() => other.close());
    const { id } = await other.sessions.create({ agent: 'scripted' }, ann);
    other.script = () => says(...Array.from({ length: 30 }, () => 'x'));
    await runTurn(other.sessions, id, 'first');
    const { lastSeq } = await other.sessions.get(id);
    const events = await runTurn(other.sessions, id, 'second');
    assert.equal(events[0]?.seq, lastSeq + 1);
    const kept = await eventsUntil(other.sessions, id, ({ type }) => type === 'user_message', 0);
    assert.equal(kept[0]?.seq, lastSeq - 19);
  });
});
