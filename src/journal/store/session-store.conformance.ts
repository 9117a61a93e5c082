import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { SessionDraft, SessionRecord, SessionStore } from './session-store.ts';
import type { StorePlace } from './store.conformance.ts';
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

/** What every driver of the Store port must do about sessions. */
export function sessionStoreConformance(name: string, lasting: boolean, place: () => Promise<StorePlace>): void {
  describe(`sessions in ${name}`, () => {
    let where: StorePlace;
    let store: Store;
    let sessions: SessionStore;
    beforeEach(async () => {
      where = await place();
      store = await where.open();
      sessions = store.sessions;
    });
    afterEach(async () => {
      await store.close();
      await where.dispose();
    });

    const write = async (events: readonly string[], given: object = {}): Promise<number | undefined> =>
      (await sessions.write([{ session: 's1', at: 2000, events, ...given }]))[0];
    const queue = async (id: string, content = id, most = 100): Promise<number | undefined> =>
      (await sessions.queue({ id, session: 's1', content, by: human, at: 5000, title: `about ${id}`, most }))?.position;
    const ids = async (query: object = {}): Promise<string[]> =>
      (await sessions.select({ limit: 10, ...query })).map(({ id }) => id);

    test('are kept as they are, and found by id', async () => {
      const draft = session({ title: 'é\u{1F600}', permissionMode: 'plan', forkedFrom: 's0' });
      await sessions.create(draft);
      assert.deepEqual(await sessions.find('s1'), asRecord(draft));
      assert.equal(await sessions.find('s2'), undefined);
    });

    test('are listed last active first, page by page, by directory, owner and whether a turn is there', async () => {
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

    test('events are numbered from 1 without gaps, and read from anywhere', async () => {
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
        'time does not go back, and not all that is written is activity',
      );
    });

    test('a write changes what it names and nothing else, and the beginning of a turn is remembered', async () => {
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

    test('several are written in one; what is not there (any more) is not written', async () => {
      await sessions.create(session());
      await sessions.create(session({ id: 's2' }));
      const both = ['s1', 'gone', 's2'].map((id) => ({ session: id, at: 1, events: ['{}'] }));
      assert.deepEqual(await sessions.write(both), [1, undefined, 1]);
      await assert.rejects(write(['{}', null as unknown as string]));
      assert.equal((await sessions.find('s1'))?.lastSeq, 1, 'all or nothing');
    });

    test('turns are claimed in their order, one at a time', async () => {
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

    test('what was told before a turn was claimed is not of that turn', async () => {
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

    test('no more turns wait than may, and none of a session that is not there', async () => {
      await sessions.create(session());
      assert.deepEqual([await queue('t1', '', 2), await queue('t2', '', 2)], [0, 1]);
      assert.equal(await queue('t3', '', 2), undefined);
      await sessions.claim('s1');
      assert.equal(await queue('t3', '', 2), 2, 'the one that runs does not wait');
      assert.equal(
        await sessions.queue({ id: 't', session: 'gone', content: '', by: human, at: 1, title: '', most: 9 }),
        undefined,
      );
    });

    test('a message that comes again under its key within a day is the one that was sent', async () => {
      await sessions.create(session());
      await sessions.create(session({ id: 's2' }));
      await write(['{}', '{}']);
      const send = (id: string, key: string, given: object = {}) =>
        sessions.queue({ id, session: 's1', content: '', by: human, at: 5000, title: '', most: 2, key, ...given });
      const first = { turnId: 't1', afterSeq: 2, position: 0 };
      assert.deepEqual(await send('t1', 'k\0'), first);
      await sessions.claim('s1');
      await write(['{}'], { ends: 't1' });
      assert.deepEqual(await send('t2', 'k\0'), first, 'also when its turn is over');
      assert.deepEqual(await sessions.waiting(9), []);
      assert.deepEqual(await send('t3', 'other'), { turnId: 't3', afterSeq: 3, position: 0 });
      assert.equal((await send('t4', 'k\0', { session: 's2' }))?.turnId, 't4', 'keys are those of a session');
      const dayLater = 5000 + 24 * 60 * 60 * 1000;
      assert.equal((await send('t5', 'k\0', { at: dayLater }))?.turnId, 't5');
      assert.equal(await send('t6', 'third'), undefined, 'it is not taken when too many wait');
      await write([], { ends: 't3' });
      assert.equal((await send('t6', 'third'))?.turnId, 't6', 'and can be sent again');
      await sessions.delete('s1');
      await sessions.create(session());
      assert.equal((await send('t7', 'third'))?.turnId, 't7');
    });

    test('those whose next turn could run are told, the one that has waited longest first', async () => {
      for (const id of ['s1', 's2', 's3']) await sessions.create(session({ id }));
      const send = (id: string, to: string) =>
        sessions.queue({ id, session: to, content: '', by: human, at: 1, title: '', most: 9 });
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

    test('a message is activity, and names a session that has no name', async () => {
      await sessions.create(session());
      await sessions.create(session({ id: 's2', title: 'Named' }));
      await queue('t1');
      await queue('t2');
      await sessions.queue({ id: 't3', session: 's2', content: '', by: human, at: 1, title: 'other', most: 9 });
      const [one, two] = [await sessions.find('s1'), await sessions.find('s2')];
      assert.deepEqual([one?.title, one?.activeAt, two?.title, two?.activeAt], ['about t1', 5000, 'Named', 1000]);
    });

    test('old events can be forgotten; the numbers go on', async () => {
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

    test('interrupting marks all turns there are', async () => {
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
      assert.deepEqual(await claimed(), [['t2', 's1', true]], 'those that run here');
    });

    test('a turn that this process has claimed is not lost', async () => {
      await sessions.create(session());
      await queue('t1');
      assert.deepEqual(await sessions.takeLost(), []);
      await sessions.claim('s1');
      assert.deepEqual([await sessions.takeLost(), await sessions.waiting(9)], [[], []]);
    });

    test('a fork has the events up to where it was made, and the memory; neither changes the other', async () => {
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

    test('nothing is left of a deleted one', async () => {
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

    if (!lasting) return;

    test('are there after closing and opening again; a turn that was claimed before is lost', async () => {
      await sessions.create(session());
      await write(['{}'], { memory: '1' });
      await queue('t1');
      await queue('t2');
      await sessions.claim('s1');
      await store.close();
      store = await where.open();
      ({ sessions } = store);
      assert.equal((await sessions.find('s1'))?.lastSeq, 1);
      assert.equal(await sessions.memory('s1'), '1');
      assert.deepEqual(
        (await sessions.takeLost()).map(({ id }) => id),
        ['t1'],
      );
      assert.deepEqual([await sessions.takeLost(), await sessions.waiting(9)], [[], []], 'once');
      await write(['{}'], { ends: 't1' });
      assert.deepEqual(await sessions.waiting(9), ['s1']);
    });
  });
}
