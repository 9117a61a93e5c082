import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { SessionDraft, SessionRecord, SessionStore } from './session-store.ts';
import type { StoreFixture } from './store.conformance.ts';
import type { Store } from './store.ts';

const human = { id: 'ann', kind: 'human' } as const;

function session(given: Partial<SessionDraft> = {}): SessionDraft {
  return {
    id: 's1',
    agent: 'demo',
    runtime: 'model',
    model: '',
    title: '',
    cwd: '/home',
    permissionMode: 'default',
    owner: human,
    createdAt: 1000,
    activeAt: 1000,
    forkedFrom: '',
    lastTurn: '',
    ...given,
  };
}

const asRecord = (draft: SessionDraft, given: Partial<SessionRecord> = {}): SessionRecord => ({
  ...draft,
  lastSeq: 0,
  turnSeq: 0,
  queued: 0,
  turn: 'none',
  ...given,
});

/** The tests of sessions for every driver of the Store port. */
export function sessionStoreConformance(
  name: string,
  isPersistent: boolean,
  createFixture: () => Promise<StoreFixture>,
): void {
  describe(`SessionStore (${name})`, () => {
    let fixture: StoreFixture;
    let store: Store;
    let sessions: SessionStore;
    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
      sessions = store.sessions;
    });
    afterEach(async () => {
      await store.close();
      await fixture.dispose();
    });

    const write = async (events: readonly string[], given: object = {}): Promise<number | undefined> =>
      (await sessions.write([{ session: 's1', at: 2000, events, ...given }]))[0];
    const queue = async (id: string, content = id, maxWaiting = 100): Promise<number | undefined> =>
      (await sessions.queue({ id, session: 's1', content, by: human, at: 5000, title: `about ${id}`, maxWaiting }))
        ?.position;
    const ids = async (query: object = {}): Promise<string[]> =>
      (await sessions.select({ limit: 10, ...query })).map(({ id }) => id);

    test('stores sessions unchanged, and finds them by id', async () => {
      const draft = session({ title: 'é\u{1F600}', permissionMode: 'plan', forkedFrom: 's0' });
      await sessions.create(draft);
      assert.deepEqual(await sessions.find('s1'), asRecord(draft));
      assert.equal(await sessions.find('s2'), undefined);
    });

    test('lists sessions last active first, page by page, by directory, owner, activity and turns', async () => {
      await sessions.create(session());
      await sessions.create(session({ id: 's2', activeAt: 3000, cwd: '/tmp' }));
      await sessions.create(session({ id: 's3', activeAt: 3000, owner: { id: 'bob', kind: 'agent' } }));
      assert.deepEqual(await ids(), ['s3', 's2', 's1']);
      assert.deepEqual(await ids({ limit: 1 }), ['s3']);
      assert.deepEqual(await ids({ after: { activeAt: 3000, id: 's3' } }), ['s2', 's1']);
      assert.deepEqual(await ids({ after: { activeAt: 3000, id: 's2' } }), ['s1']);
      assert.deepEqual(await ids({ cwd: '/tmp' }), ['s2']);
      assert.deepEqual(await ids({ owner: 'bob' }), ['s3']);
      assert.deepEqual(await ids({ activeBefore: 3000 }), ['s1']);
      assert.deepEqual([await sessions.count(), await sessions.count({ cwd: '/home', owner: 'ann' })], [3, 1]);
      await queue('t1');
      assert.deepEqual(await ids({ active: true }), ['s1']);
    });

    test('numbers events from 1 without gaps, and reads them from any position', async () => {
      await sessions.create(session());
      assert.equal(await write(['{"a":1}', '{"a":"\\u0000"}']), 2);
      assert.equal(await write([]), 2);
      assert.equal(await write(['{"a":3}'], { at: 1500 }), 3);
      await write([], { at: 9000, idle: true });
      assert.deepEqual(await sessions.events('s1', 1, 10), [
        { seq: 2, at: 2000, body: '{"a":"\\u0000"}' },
        { seq: 3, at: 1500, body: '{"a":3}' },
      ]);
      assert.deepEqual(
        (await sessions.events('s1', 0, 2)).map(({ seq }) => seq),
        [1, 2],
      );
      const record = await sessions.find('s1');
      assert.deepEqual(
        [record?.lastSeq, record?.activeAt],
        [3, 2000],
        'the last activity never goes back, and an idle write does not count',
      );
    });

    test('a write changes only the named properties, and stores where a turn begins', async () => {
      const draft = session();
      await sessions.create(draft);
      await write(['{}']);
      await write(['{}', '{}'], { begins: true, set: { title: 'T', model: 'm' }, memory: '{"m":1}' });
      assert.deepEqual(
        await sessions.find('s1'),
        asRecord({ ...draft, title: 'T', model: 'm', activeAt: 2000 }, { lastSeq: 3, turnSeq: 2 }),
      );
      assert.equal(await sessions.memory('s1'), '{"m":1}');
      await write([], { memory: '{"m":2}' });
      assert.equal(await sessions.memory('s1'), '{"m":2}');
      assert.equal(await sessions.memory('s2'), undefined);
    });

    test('writes several sessions atomically, and skips sessions that do not exist', async () => {
      await sessions.create(session());
      await sessions.create(session({ id: 's2' }));
      const both = ['s1', 'unknown', 's2'].map((id) => ({ session: id, at: 1, events: ['{}'] }));
      assert.deepEqual(await sessions.write(both), [1, undefined, 1]);
      await assert.rejects(write(['{}', null as unknown as string]));
      assert.equal((await sessions.find('s1'))?.lastSeq, 1, 'the whole batch was rolled back');
    });

    test('claims turns in order, one at a time', async () => {
      await sessions.create(session());
      assert.deepEqual([await queue('t1', 'é'), await queue('t2')], [0, 1]);
      assert.deepEqual(await sessions.waiting(9), ['s1']);
      assert.deepEqual(await sessions.claim('s1'), {
        id: 't1',
        session: 's1',
        content: 'é',
        by: human,
        interrupted: false,
      });
      assert.equal(await sessions.claim('s1'), undefined);
      assert.deepEqual(await recorded(), { turn: 'running', queued: 1 });
      await write([], { waits: true });
      assert.deepEqual(await recorded(), { turn: 'waiting', queued: 1 });
      assert.equal(await queue('t3'), 2);
      await write([], { waits: false, ends: 't1', set: { lastTurn: 'end' } });
      assert.deepEqual(await recorded(), { turn: 'none', queued: 2 });
      assert.equal((await sessions.claim('s1'))?.id, 't2');
    });

    test('a claimed turn begins after the last event', async () => {
      await sessions.create(session());
      await write(['{}', '{}'], { begins: true });
      await queue('t1');
      assert.equal((await sessions.find('s1'))?.turnSeq, 1);
      await sessions.claim('s1');
      assert.equal((await sessions.find('s1'))?.turnSeq, 3);
    });

    const recorded = async (): Promise<Pick<SessionRecord, 'turn' | 'queued'>> => {
      const { turn, queued } = (await sessions.find('s1')) ?? assert.fail();
      return { turn, queued };
    };

    test('limits the number of waiting turns, and queues none for an unknown session', async () => {
      await sessions.create(session());
      assert.deepEqual([await queue('t1', '', 2), await queue('t2', '', 2)], [0, 1]);
      assert.equal(await queue('t3', '', 2), undefined);
      await sessions.claim('s1');
      assert.equal(await queue('t3', '', 2), 2, 'the running turn does not count');
      assert.equal(
        await sessions.queue({ id: 't', session: 'unknown', content: '', by: human, at: 1, title: '', maxWaiting: 9 }),
        undefined,
      );
    });

    test('recognizes a repeated message by its idempotency key for a day', async () => {
      await sessions.create(session());
      await sessions.create(session({ id: 's2' }));
      await write(['{}', '{}']);
      const send = (id: string, key: string, given: object = {}) =>
        sessions.queue({
          id,
          session: 's1',
          content: '',
          by: human,
          at: 5000,
          title: '',
          maxWaiting: 2,
          key,
          ...given,
        });
      const first = { turnId: 't1', afterSeq: 2, position: 0 };
      assert.deepEqual(await send('t1', 'k\0'), first);
      await sessions.claim('s1');
      await write(['{}'], { ends: 't1' });
      assert.deepEqual(await send('t2', 'k\0'), first, 'also after its turn has ended');
      assert.deepEqual(await sessions.waiting(9), []);
      assert.deepEqual(await send('t3', 'other'), { turnId: 't3', afterSeq: 3, position: 0 });
      assert.equal((await send('t4', 'k\0', { session: 's2' }))?.turnId, 't4', 'keys are separate for each session');
      const dayLater = 5000 + 24 * 60 * 60 * 1000;
      assert.equal((await send('t5', 'k\0', { at: dayLater }))?.turnId, 't5');
      assert.equal(await send('t6', 'third'), undefined, 'a message that was refused does not use its key');
      await write([], { ends: 't3' });
      assert.equal((await send('t6', 'third'))?.turnId, 't6', 'so it can be sent again');
      await sessions.delete('s1');
      await sessions.create(session());
      assert.equal((await send('t7', 'third'))?.turnId, 't7');
    });

    test('lists the sessions whose next turn can be claimed, longest waiting first', async () => {
      for (const id of ['s1', 's2', 's3']) await sessions.create(session({ id }));
      const send = (id: string, to: string) =>
        sessions.queue({ id, session: to, content: '', by: human, at: 1, title: '', maxWaiting: 9 });
      for (const [id, to] of [
        ['t1', 's2'],
        ['t2', 's3'],
        ['t3', 's1'],
        ['t4', 's2'],
      ] as const)
        await send(id, to);
      assert.deepEqual(
        [await sessions.waiting(9), await sessions.waiting(2)],
        [
          ['s2', 's3', 's1'],
          ['s2', 's3'],
        ],
      );
      await sessions.claim('s2');
      assert.deepEqual(await sessions.waiting(9), ['s3', 's1']);
      await sessions.write([{ session: 's2', at: 1, events: [], ends: 't1' }]);
      assert.deepEqual(await sessions.waiting(9), ['s3', 's1', 's2']);
    });

    test('a queued message counts as activity, and sets the title of an untitled session', async () => {
      await sessions.create(session());
      await sessions.create(session({ id: 's2', title: 'Named' }));
      await queue('t1');
      await queue('t2');
      await sessions.queue({ id: 't3', session: 's2', content: '', by: human, at: 1, title: 'other', maxWaiting: 9 });
      const [one, two] = [await sessions.find('s1'), await sessions.find('s2')];
      assert.deepEqual([one?.title, one?.activeAt, two?.title, two?.activeAt], ['about t1', 5000, 'Named', 1000]);
    });

    test('trims old events and continues the numbering', async () => {
      await sessions.create(session());
      await write(['1', '2', '3', '4']);
      await sessions.trim('s1', 3);
      await sessions.trim('s1', 9);
      assert.equal(await write(['5']), 5);
      assert.deepEqual(
        (await sessions.events('s1', 0, 9)).map(({ body }) => body),
        ['2', '3', '4', '5'],
      );
    });

    test('marks all queued and claimed turns as interrupted', async () => {
      await sessions.create(session());
      await queue('t1');
      assert.deepEqual(await sessions.interrupt('s1'), ['t1']);
      await queue('t2');
      assert.equal((await sessions.claim('s1'))?.interrupted, true);
      await write([], { ends: 't1' });
      assert.equal((await sessions.claim('s1'))?.interrupted, false);
      const claimed = async (): Promise<unknown[]> =>
        (await sessions.claimed()).map(({ id, session: of, interrupted }) => [id, of, interrupted]);
      assert.deepEqual([await sessions.interrupt('none'), await claimed()], [[], [['t2', 's1', false]]]);
      await queue('t3');
      await sessions.interrupt('s1');
      assert.deepEqual(await claimed(), [['t2', 's1', true]], 'the turns that run in this process');
    });

    test('does not report a turn that this process has claimed as lost', async () => {
      await sessions.create(session());
      await queue('t1');
      assert.deepEqual(await sessions.takeLost(), []);
      await sessions.claim('s1');
      assert.deepEqual([await sessions.takeLost(), await sessions.waiting(9)], [[], []]);
    });

    test('forks the events up to a position and the memory, independent of the original', async () => {
      await sessions.create(session());
      await write(['{"n":1}', '{"n":2}'], { begins: true, memory: '"m"' });
      await write(['{"n":3}'], { begins: true });
      await sessions.create(session({ id: 's2', forkedFrom: 's1', copiesTo: 2 }));
      const fork = await sessions.find('s2');
      assert.deepEqual([fork?.lastSeq, fork?.turnSeq, await sessions.memory('s2')], [2, 2, '"m"']);
      assert.deepEqual(
        (await sessions.events('s2', 0, 9)).map(({ body }) => body),
        ['{"n":1}', '{"n":2}'],
      );
      await sessions.write([{ session: 's2', at: 1, events: ['{}'], memory: '"other"' }]);
      assert.deepEqual([(await sessions.find('s1'))?.lastSeq, await sessions.memory('s1')], [3, '"m"']);
    });

    test('deletes a session with all its data', async () => {
      await sessions.create(session());
      await write(['{}'], { memory: '1' });
      await queue('t1');
      await sessions.create(session({ id: 's2' }));
      assert.equal(await sessions.delete('s1'), true);
      assert.equal(await sessions.delete('s1'), false);
      assert.deepEqual(
        [await sessions.find('s1'), await sessions.memory('s1'), await sessions.waiting(9), await ids()],
        [undefined, undefined, [], ['s2']],
      );
      assert.deepEqual(await sessions.events('s1', 0, 9), []);
    });

    if (!isPersistent) return;

    test('keeps sessions when the store is reopened, and reports an earlier claimed turn as lost', async () => {
      await sessions.create(session());
      await write(['{}'], { memory: '1' });
      await queue('t1');
      await queue('t2');
      await sessions.claim('s1');
      await store.close();
      store = await fixture.open();
      ({ sessions } = store);
      assert.equal((await sessions.find('s1'))?.lastSeq, 1);
      assert.equal(await sessions.memory('s1'), '1');
      assert.deepEqual(
        (await sessions.takeLost()).map(({ id }) => id),
        ['t1'],
      );
      assert.deepEqual([await sessions.takeLost(), await sessions.waiting(9)], [[], []], 'reported once');
      await write(['{}'], { ends: 't1' });
      assert.deepEqual(await sessions.waiting(9), ['s1']);
    });
  });
}
