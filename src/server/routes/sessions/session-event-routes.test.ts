import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { openStream, take } from '../../../../test/support/http/event-stream.ts';
import { runSeed } from '../../../../test/support/seeded.ts';
import { textTurn, textOf } from '../../../../test/support/sessions/session-fixture.ts';
import { eventsOf, isDone, openSessionServer } from '../../../../test/support/sessions/session-server.ts';
import type { SessionEvent } from '../../../sessions/events/session-event.ts';

describe('GET /api/sessions/{id}/events', () => {
  it('sends every event exactly once over any number of disconnects', async (test) => {
    const { create, watch, fixture } = await openSessionServer(test);
    const { sessions } = fixture;
    const by = { id: 'ann', kind: 'human' } as const;
    /** The number of messages in each turn, and the numbers of events after which the client is disconnected. */
    const scenario = fc.record({
      turns: fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 3 }),
      cuts: fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 12 }),
      byHeader: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ turns, cuts, byHeader }) => {
        const id = await create({ agent: 'scripted' });
        fixture.script = ({ content }) =>
          textTurn(...Array.from({ length: Number(content) }, (_, index) => `${index} `));
        for (const pieces of turns) await sessions.send(id, String(pieces), by);
        const seen: SessionEvent[] = [];
        let dones = 0;
        let last = '0';
        for (const cut of [...cuts, Number.POSITIVE_INFINITY]) {
          if (dones === turns.length) break;
          const stream = await watch(id, byHeader ? { after: 0, lastEventId: last } : { after: Number(last) });
          let left = cut;
          if (left > 0) {
            const events = await eventsOf(stream, (event) => {
              if (isDone(event)) dones += 1;
              left -= 1;
              return left <= 0 || dones === turns.length;
            });
            seen.push(...events);
          }
          last = stream.lastEventId() === '' ? last : stream.lastEventId();
          stream.drop();
        }
        const { lastSeq } = await sessions.get(id);
        assert.deepEqual(
          seen.map(({ seq }) => seq),
          Array.from({ length: lastSeq }, (_, index) => index + 1),
        );
        assert.equal(
          textOf(seen),
          turns.map((pieces) => Array.from({ length: pieces }, (_, index) => `${index} `).join('')).join(''),
        );
      }),
      { seed: runSeed, numRuns: 30 },
    );
  });

  it('sends the same events to every client', async (test) => {
    const { create, say, watch, fixture } = await openSessionServer(test);
    const id = await create({ agent: 'scripted' });
    const proceed = Promise.withResolvers<void>();
    fixture.script = async function* () {
      yield { type: 'text_delta', text: 'begun ' };
      await proceed.promise;
      yield* textTurn(...Array.from({ length: 50 }, (_, index) => `${index} `));
    };
    const early = await Promise.all([watch(id), watch(id)]);
    const sent = await say(id, 'go');
    const begun = await eventsOf(sent, ({ type }) => type === 'text_delta');
    // A client that connects during a turn receives the events of the turn so far.
    const late = await Promise.all([watch(id), watch(id)]);
    proceed.resolve();
    const expected = [...begun, ...(await eventsOf(sent))];
    for (const stream of [...early, ...late]) {
      assert.deepEqual(await eventsOf(stream, isDone), expected);
      stream.drop();
    }
  });

  it('buffers events for a slow client without delaying other clients', async (test) => {
    const { create, say, watch, fixture } = await openSessionServer(test);
    const id = await create({ agent: 'scripted' });
    const piece = 'text '.repeat(20_000);
    const pieces = 200;
    fixture.script = () => textTurn(...Array.from({ length: pieces }, () => piece));
    const slow = await watch(id, { after: 0 });
    const quick = await eventsOf(await say(id, 'write much text'));
    assert.equal(textOf(quick).length, pieces * piece.length);
    await delay(50);
    assert.deepEqual(await eventsOf(slow, isDone), quick);
    slow.drop();
  });

  it('ends when the server stops; the turn continues, and the client resumes at the next server', async (test) => {
    // A server that waited for the grace period would not stop within this test.
    const { create, say, watch, restart, fixture } = await openSessionServer(test, {}, { graceMs: 3_600_000 });
    const id = await create({ agent: 'scripted' });
    const proceed = Promise.withResolvers<void>();
    fixture.script = async function* () {
      yield { type: 'text_delta', text: 'one ' };
      await proceed.promise;
      yield* textTurn('two');
    };
    const watching = await watch(id);
    const sent = await say(id, 'go');
    const before = await eventsOf(watching, ({ type }) => type === 'text_delta');
    const [, rest] = await Promise.all([restart(), eventsOf(watching), eventsOf(sent)]);
    assert.deepEqual(rest, []);
    proceed.resolve();
    const resumed = await watch(id, { lastEventId: watching.lastEventId() });
    const after = await eventsOf(resumed, isDone);
    resumed.drop();
    assert.equal(textOf([...before, ...after]), 'one two');
  });

  it('ends when the session is deleted', async (test) => {
    const { ask, create, watch } = await openSessionServer(test);
    const id = await create();
    const stream = await watch(id);
    assert.equal((await ask('DELETE', `/api/sessions/${id}`)).status, 204);
    assert.deepEqual(await eventsOf(stream), []);
    assert.equal((await watch(id)).status, 404);
  });

  it('ends when the token of the client is revoked', async (test) => {
    const { create, server, fixture } = await openSessionServer(test);
    const by = { id: 'alice', kind: 'human' } as const;
    const { id: viewer, token } = await fixture.box.tokens.create({ role: 'viewer', by });
    const headers = { authorization: `Bearer ${token}` };
    const streams = await Promise.all([
      openStream(`${server.url}/api/sessions/${await create()}/events`, { headers }),
      openStream(`${server.url}/api/events?types=session`, { headers }),
    ]);
    assert.deepEqual(
      streams.map(({ status }) => status),
      [200, 200],
    );
    await fixture.box.tokens.revoke(viewer, { by });
    for (const stream of streams) await assert.rejects(take(stream, 2));
  });

  it('starts at the last event for an id beyond it, and sends its id first', async (test) => {
    const { create, ask } = await openSessionServer(test);
    const { body } = await ask('GET', `/api/sessions/${await create()}/events?after=999`);
    const reader = body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    assert.match(new TextDecoder().decode(value), /^id: 0$/m);
    await reader?.cancel();
  });

  it('refuses an invalid id', async (test) => {
    const { create, watch, ask } = await openSessionServer(test);
    const id = await create();
    for (const lastEventId of ['x', '-1', '1.5', '', '1e3', '9'.repeat(20)])
      assert.equal((await watch(id, { lastEventId })).status, 400, lastEventId);
    for (const query of ['after=x', 'after=', 'after=-1', 'aftr=1'])
      assert.equal((await ask('GET', `/api/sessions/${id}/events?${query}`)).status, 400, query);
  });
});
