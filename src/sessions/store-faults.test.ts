import { openSignalbox } from '../signalbox/create-signalbox.ts';
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { describe, test } from 'node:test';
import {
  ann,
  eventsUntil,
  runTurn,
  textTurn,
  textOf,
  untilInterrupted,
} from '../../test/support/sessions/session-fixture.ts';
import { within } from '../../test/support/within.ts';
import type { SessionStore } from '../journal/store/session-store.ts';
import { runtimeTools } from '../runtimes/runtime-tools.ts';
import type { Runtime } from '../runtimes/runtime.ts';
import { createSessions } from './create-sessions.ts';
import type { Sessions } from './sessions.ts';

/** Returns the store with some methods replaced. */
function storeWith(store: SessionStore, replaced: Partial<SessionStore>): SessionStore {
  return {
    create: (draft) => store.create(draft),
    find: (id) => store.find(id),
    select: (query) => store.select(query),
    count: (query) => store.count(query),
    delete: (id) => store.delete(id),
    memory: (id) => store.memory(id),
    write: (writes) => store.write(writes),
    events: (id, after, limit) => store.events(id, after, limit),
    trim: (id, keep) => store.trim(id, keep),
    queue: (turn) => store.queue(turn),
    claim: (session) => store.claim(session),
    interrupt: (session) => store.interrupt(session),
    takeLost: (options) => store.takeLost(options),
    waiting: (limit) => store.waiting(limit),
    claimed: () => store.claimed(),
    ...replaced,
  };
}

interface FaultySessions {
  readonly sessions: Sessions;
  close(): Promise<void>;
}

async function openFaulty(
  turn: Runtime['turn'],
  fault: (store: SessionStore) => Partial<SessionStore>,
  options: { readonly idleMs?: number } = {},
): Promise<FaultySessions> {
  const data = mkdtempSync(`${tmpdir()}/signalbox-faulty-`);
  const own = runtimeTools('runtime');
  const box = await openSignalbox({ data, servers: [own] });
  const runtime = { name: 'scripted', turn, close: () => Promise.resolve() };
  const sessions = await createSessions({
    box: { ...box, sessionStore: storeWith(box.sessionStore, fault(box.sessionStore)) },
    agents: { defaultName: 'agent', list: () => [{ name: 'agent', runtime, runtimeTools: own }] },
    cwd: data,
    ...options,
  });
  return {
    sessions,
    async close() {
      await sessions.close({ graceMs: 0 });
      await box.close();
      rmSync(data, { recursive: true });
    },
  };
}

describe('sessions with a slow store', () => {
  const delay = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

  test('run a message that is sent while the queue is read as empty', async (t) => {
    const place = await openFaulty(
      () => textTurn('answer'),
      (store) => ({
        async claim(session) {
          const claimed = await store.claim(session);
          await delay();
          return claimed;
        },
      }),
    );
    t.after(() => place.close());
    const { id } = await place.sessions.create({}, ann);
    for (const message of ['one', 'two', 'three'])
      assert.equal(textOf(await runTurn(place.sessions, id, message)), 'answer');
  });

  test('apply an interrupt between claim and start to that turn only', async (t) => {
    const claimed = Promise.withResolvers<void>();
    let started = 0;
    const place = await openFaulty(
      (turn) => {
        started += 1;
        return started === 1 && !turn.signal.aborted ? textTurn('ran') : untilInterrupted(turn, 'wrong');
      },
      (store) => ({
        async memory(session) {
          claimed.resolve();
          await delay();
          return store.memory(session);
        },
      }),
    );
    t.after(() => place.close());
    const { id } = await place.sessions.create({}, ann);
    await place.sessions.send(id, 'interrupted', ann);
    await claimed.promise;
    assert.equal(await place.sessions.interrupt(id), true);
    const events = await eventsUntil(place.sessions, id, ({ type }) => type === 'done', 0);
    const [done] = events.slice(-1);
    assert.deepEqual([done?.type === 'done' && done.reason, textOf(events)], ['interrupted', '']);
    assert.equal(textOf(await runTurn(place.sessions, id, 'next')), 'ran');
  });
});

describe('sessions with a store that fails temporarily', () => {
  test('retry a turn that was claimed', async (t) => {
    let failures = 1;
    const place = await openFaulty(
      () => textTurn('answer'),
      (store) => ({
        async memory(session) {
          if (failures > 0) {
            failures -= 1;
            throw new Error('database is locked');
          }
          return store.memory(session);
        },
      }),
    );
    t.after(() => place.close());
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const { id } = await place.sessions.create({}, ann);
    assert.equal(textOf(await runTurn(place.sessions, id, 'go')), 'answer');
    assert.match((await warned).message, /database is locked/);
  });
});

describe('sessions with a store that disconnects before its response', () => {
  test('end a claimed turn of which no response arrived as lost, and run the next one', async (t) => {
    let failures = 1;
    const place = await openFaulty(
      () => textTurn('answer'),
      (store) => ({
        async claim(session) {
          const claimed = await store.claim(session);
          if (failures > 0) {
            failures -= 1;
            throw new Error('the connection was lost');
          }
          return claimed;
        },
      }),
      { idleMs: 100 },
    );
    t.after(() => place.close());
    const { id } = await place.sessions.create({}, ann);
    const events = await within(runTurn(place.sessions, id, 'claimed'), 'the turn ends');
    assert.deepEqual(
      events.map((event) => (event.type === 'error' ? event.code : event.type)),
      ['user_message', 'turn-lost', 'done'],
    );
    assert.equal(textOf(await runTurn(place.sessions, id, 'go on')), 'answer');
  });
});

describe('sessions with a store that cannot be written', () => {
  test('end the turn, and write its end when the store accepts writes again', async (t) => {
    let isFull = false;
    const interrupted = Promise.withResolvers<void>();
    const place = await openFaulty(
      async function* (turn) {
        turn.signal.addEventListener('abort', () => interrupted.resolve());
        yield { type: 'text_delta', text: 'written' };
        await new Promise((resolve) => setTimeout(resolve, 20));
        isFull = true;
        yield* untilInterrupted(turn, 'not written');
      },
      (store) => ({
        async write(writes) {
          if (isFull) throw new Error('database or disk is full');
          return store.write(writes);
        },
      }),
    );
    const { sessions } = place;
    t.after(() => {
      isFull = false;
      return place.close();
    });
    const { id } = await sessions.create({}, ann);
    await sessions.send(id, 'go', ann);
    await interrupted.promise;
    assert.equal((await sessions.get(id)).state, 'running');
    isFull = false;
    const events = await eventsUntil(sessions, id, ({ type }) => type === 'done', 0);
    assert.equal(textOf(events), 'written');
    const error = events.find((event) => event.type === 'error');
    assert.deepEqual([error?.code, events.at(-1)?.type], ['store-unavailable', 'done']);
    assert.match(error?.message ?? '', /disk is full/);
    assert.equal((await sessions.get(id)).state, 'idle');
  });

  test('start a turn only after its message is written', async (t) => {
    let isFull = false;
    let ran = 0;
    const refused = Promise.withResolvers<void>();
    const place = await openFaulty(
      () => {
        ran += 1;
        return textTurn('answer');
      },
      (store) => ({
        async write(writes) {
          if (!isFull) return store.write(writes);
          refused.resolve();
          throw new Error('database or disk is full');
        },
      }),
    );
    t.after(() => place.close());
    const { sessions } = place;
    const { id } = await sessions.create({}, ann);
    isFull = true;
    const { turnId } = await sessions.send(id, 'go', ann);
    await refused.promise;
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(ran, 0);
    isFull = false;
    const events = await eventsUntil(sessions, id, ({ type }) => type === 'done', 0);
    const [message] = events;
    assert.deepEqual([message?.type === 'user_message' && message.turnId, textOf(events)], [turnId, 'answer']);
  });
});

describe('a claimed turn that has not started', () => {
  test('is not part of a fork of its session', async (t) => {
    const claimed = Promise.withResolvers<void>();
    let isHeld = false;
    const held = Promise.withResolvers<void>();
    const place = await openFaulty(
      () => textTurn('answer'),
      (store) => ({
        async memory(session) {
          claimed.resolve();
          if (isHeld) await held.promise;
          return store.memory(session);
        },
      }),
    );
    t.after(() => place.close());
    const { sessions } = place;
    const { id } = await sessions.create({}, ann);
    await runTurn(sessions, id, 'one');
    isHeld = true;
    await sessions.send(id, 'two', ann);
    await claimed.promise;
    const fork = await sessions.fork(id, ann);
    held.resolve();
    assert.deepEqual(
      (await sessions.transcript(fork.id)).map(({ content }) => content),
      [[{ type: 'text', text: 'one' }], [{ type: 'text', text: 'answer' }]],
    );
  });
});
