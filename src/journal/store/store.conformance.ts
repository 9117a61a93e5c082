import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { fillStore } from '../../../test/support/journal/filled-store.ts';
import { verifyChain } from '../integrity/hash-chain.ts';
import type { EntryDraft } from '../entries/stored-entry.ts';
import type { Store } from './store.ts';

/** A store that can be opened several times, also concurrently. */
export interface StoreFixture {
  open(): Promise<Store>;
  dispose(): Promise<void>;
}

/** Returns an entry for tests, with defaults for all other properties. */
export function draft(given: Partial<EntryDraft> = {}): EntryDraft {
  return {
    type: 'ToolInvoked',
    at: 1_000,
    call: 'call_1',
    session: '',
    tool: 'mcp__a__b',
    outcome: 'completed',
    body: '{}',
    ...given,
  };
}

/** The tests of entries and results for every driver of the Store port. With `isPersistent`, records survive a reopened store. */
export function storeConformance(
  name: string,
  isPersistent: boolean,
  createFixture: () => Promise<StoreFixture>,
): void {
  describe(`Store (${name})`, () => {
    let fixture: StoreFixture;
    let store: Store;
    beforeEach(async () => {
      fixture = await createFixture();
      store = await fixture.open();
    });
    afterEach(async () => {
      await store.close();
      await fixture.dispose();
    });

    test('numbers entries consecutively, in order, over several appends', async () => {
      const first = await store.append([draft({ call: 'a' }), draft({ call: 'b' })]);
      const second = await store.append([draft({ call: 'c' })]);
      assert.deepEqual(
        [...first, ...second].map((entry) => entry?.seq),
        [1, 2, 3],
      );
      const all = await store.entries({ order: 'oldest-first', limit: 10 });
      assert.deepEqual(
        all.map((entry) => entry.call),
        ['a', 'b', 'c'],
      );
      assert.deepEqual(all[2], second[0]);
    });

    test('stores every character of a body', async () => {
      const body = JSON.stringify({ text: 'é\u0000\n"\\\u2028 😀 \ud800', number: 1e21 });
      await store.append([draft({ body })]);
      const [entry] = await store.entries({ order: 'oldest-first', limit: 1 });
      assert.equal(entry?.body, body);
      assert.equal((await verifyChain(store)).ok, true);
    });

    test('ends a page with the entry that exceeds the byte limit, for every kind of query', async () => {
      const body = (letter: string): string => JSON.stringify({ output: letter.repeat(998) });
      await store.append(['a', 'é', 'c', 'd'].map((letter) => draft({ call: letter, body: body(letter) })));
      const find = async (query: object): Promise<string> =>
        (await store.entries({ order: 'oldest-first', limit: 10, ...query })).map((entry) => entry.call).join('');
      assert.equal(await find({ bytes: 1 }), 'a');
      assert.equal(await find({ bytes: 1100 }), 'aé', 'the entry that exceeds the limit is the last');
      assert.equal(await find({ bytes: 3000 }), 'aé', 'the limit counts bytes, not characters');
      assert.equal(await find({ bytes: 3100 }), 'aéc');
      assert.equal(await find({ bytes: 1100, order: 'newest-first' }), 'dc');
      assert.equal(await find({ bytes: 100_000, limit: 3 }), 'aéc');
      assert.equal(await find({ bytes: 1, after: 2, text: 'c' }), 'c');
      assert.equal(await find({ bytes: 100_000, text: 'output' }), '', 'a JSON key does not match');
      assert.equal(await find({ bytes: 100_000, text: 'ddd' }), 'd');
    });

    test('finds entries by session, tool, outcome, type, call and time, alone and combined', async () => {
      await store.append([
        draft({ call: 'a', session: 's1', tool: 't1', at: 10 }),
        draft({ call: 'b', session: 's1', tool: 't2', at: 20, outcome: 'failed' }),
        draft({ call: 'c', session: 's2', tool: 't1', at: 30, type: 'CallStarted', outcome: '' }),
        draft({ call: '', session: '', tool: '', at: 40, type: 'ServerChanged', outcome: '' }),
      ]);
      const find = async (query: object): Promise<number[]> =>
        (await store.entries({ order: 'oldest-first', limit: 10, ...query })).map((entry) => entry.seq);
      assert.deepEqual(await find({ session: 's1' }), [1, 2]);
      assert.deepEqual(await find({ tool: 't1' }), [1, 3]);
      assert.deepEqual(await find({ outcome: 'failed' }), [2]);
      assert.deepEqual(await find({ type: 'ServerChanged' }), [4]);
      assert.deepEqual(await find({ call: 'c' }), [3]);
      assert.deepEqual(await find({ since: 20, until: 40 }), [2, 3]);
      assert.deepEqual(await find({ session: 's1', tool: 't1' }), [1]);
      assert.deepEqual(await find({ session: 's1', outcome: 'failed', since: 30 }), []);
      assert.deepEqual(await find({ after: 1, before: 4 }), [2, 3]);
      assert.deepEqual(await find({ order: 'newest-first', limit: 2 }), [4, 3]);
      assert.deepEqual(await find({ order: 'newest-first', tool: 't1', before: 3, limit: 1 }), [1]);
    });

    test('finds only the entries of a principal and of the agents that act for it', async () => {
      const of = (id: string, call: string): EntryDraft =>
        draft({
          call,
          body: JSON.stringify({ principal: { id, kind: 'agent' }, arguments: { principal: { id: 'a' } } }),
        });
      await store.append([of('a', '1'), of('a/claude', '2'), of('ab', '3'), of('b', '4'), draft({ call: '5' })]);
      const find = async (query: object): Promise<string[]> =>
        (await store.entries({ order: 'oldest-first', limit: 10, ...query })).map((entry) => entry.call);
      assert.deepEqual(await find({ principal: 'a' }), ['1', '2']);
      assert.deepEqual(await find({ principal: 'a/claude', calls: true }), ['2']);
      assert.deepEqual(await find({ principal: 'a', call: '3' }), []);
    });

    test('finds entries by server and by decision', async () => {
      const of = (call: string, body: object): EntryDraft => draft({ call, body: JSON.stringify(body) });
      await store.append([
        of('1', { server: 'a', decision: { answer: 'allow' } }),
        of('2', { server: 'a', decision: { answer: 'deny' } }),
        of('3', { server: 'b', decision: { answer: 'deny' }, arguments: { server: 'a' } }),
        of('4', {}),
      ]);
      const find = async (query: object): Promise<string[]> =>
        (await store.entries({ order: 'newest-first', limit: 10, ...query })).map((entry) => entry.call);
      assert.deepEqual(await find({ server: 'a' }), ['2', '1']);
      assert.deepEqual(await find({ decision: 'deny', calls: true }), ['3', '2']);
      assert.deepEqual(await find({ server: 'b', decision: 'allow' }), []);
    });

    test('finds the calls that a rule in shadow mode would have decided differently', async () => {
      const of = (call: string, decision: object, output = ''): EntryDraft =>
        draft({ call, body: JSON.stringify({ decision, output }) });
      const shadow = [{ answer: 'deny', rule: 'r', reason: 'x' }];
      await store.append([
        of('1', { answer: 'allow', shadow }),
        of('2', { answer: 'deny', shadow }),
        of('3', { answer: 'allow' }, '"shadow":['),
        of('4', { answer: 'allow', ruled: { answer: 'deny' }, shadow }),
        of('5', { answer: 'deny', ruled: { answer: 'ask' }, shadow: [{ answer: 'ask' }, ...shadow] }),
      ]);
      const found = await store.entries({ order: 'newest-first', limit: 9, shadowed: true, calls: true });
      assert.deepEqual(
        found.map(({ call }) => call),
        ['5', '1'],
      );
    });

    test('finds entries by a text in tool, arguments, output, error, rule or reason only, ignoring case', async () => {
      const of = (call: string, body: object, tool = 'mcp__a__b'): EntryDraft =>
        draft({ call, tool, body: JSON.stringify({ arguments: {}, output: '', ...body }) });
      await store.append([
        of('1', { arguments: { path: 'Notes/100%_"é".md' } }),
        of('2', { output: 'first line\nsecond "line"' }),
        of('3', { error: { code: 'x', message: 'no such Notes' } }),
        of('4', { decision: { answer: 'deny', rule: 'curfew', reason: 'not at night' } }),
        of('5', { principal: { id: 'notes' } }, 'mcp__notes__add'),
        of('6', { principal: { id: 'notes' } }),
      ]);
      await store.append(Array.from({ length: 9000 }, (_, index) => of(`more_${index}`, { output: `${index} more` })));
      const find = async (text: string, query: object = {}): Promise<string[]> =>
        (await store.entries({ order: 'newest-first', limit: 10, text, ...query })).map((entry) => entry.call);
      assert.deepEqual(await find('NOTES'), ['5', '3', '1']);
      assert.deepEqual(await find('notes', { order: 'oldest-first' }), ['1', '3', '5']);
      assert.deepEqual(await find('notes', { limit: 1, before: 5 }), ['3']);
      assert.deepEqual(await find('notes', { after: 3, tool: 'mcp__notes__add' }), ['5']);
      assert.deepEqual(await find('100%_"é'), ['1']);
      assert.deepEqual(await find('100_'), []);
      assert.deepEqual(await find('\nsecond "line"'), ['2']);
      assert.deepEqual(await find('at night'), ['4']);
      assert.deepEqual(await find('curfew'), ['4']);
      assert.deepEqual(await find('output'), []);
      assert.deepEqual(await find('0 more', { limit: 3 }), ['more_8990', 'more_8980', 'more_8970']);
      assert.deepEqual((await find('more', { order: 'oldest-first', limit: 9500 })).length, 9000);
    });

    test('returns ended calls as samples, oldest first, page by page, by time, server and tool', async () => {
      const of = (at: number, given: Partial<EntryDraft>, body: object): EntryDraft =>
        draft({ at, call: `call_${at}`, ...given, body: JSON.stringify(body) });
      await store.append([
        of(30, { tool: 'mcp__a__x' }, { server: 'a', durationMs: 1.5 }),
        of(10, { tool: 'mcp__a__x' }, { server: 'a', durationMs: 2 }),
        of(30, { tool: 'mcp__b__x', outcome: 'failed' }, { server: 'b', durationMs: 3 }),
        of(20, { tool: 'mcp__b__x', outcome: 'unknown' }, { server: 'b', durationMs: null }),
        of(25, { tool: 'invented', outcome: 'denied' }, { durationMs: 0 }),
        of(40, { type: 'CallStarted', outcome: '', tool: 'mcp__a__x' }, { server: 'a' }),
        draft({ at: 35, body: 'not JSON', tool: 'mcp__a__x' }),
      ]);
      const read = async (query: object): Promise<unknown[][]> => {
        const rows: unknown[][] = [];
        let after = {};
        for (;;) {
          const page = await store.samples({ since: 0, until: 100, limit: 2, ...query, ...after });
          for (const [index, number] of page.kind.entries()) {
            const { server, tool, outcome } = page.kinds.get(number) ?? {};
            rows.push([page.at[index], server, tool, outcome, page.durationMs[index]]);
          }
          if (page.next === undefined) return rows;
          after = { after: page.next };
        }
      };
      const all = [
        [10, 'a', 'mcp__a__x', 'completed', 2],
        [20, 'b', 'mcp__b__x', 'unknown', null],
        [25, '', '', 'denied', 0],
        [30, 'a', 'mcp__a__x', 'completed', 1.5],
        [30, 'b', 'mcp__b__x', 'failed', 3],
        [35, '', '', 'completed', null],
      ];
      assert.deepEqual(await read({}), all);
      assert.deepEqual(await read({ limit: 1 }), all);
      assert.deepEqual(await read({ since: 20, until: 30 }), all.slice(1, 3));
      assert.deepEqual(await read({ server: 'b' }), [all[1], all[4]]);
      assert.deepEqual(await read({ tool: 'mcp__a__x' }), [all[0], all[3]]);
      await store.append([of(50, { tool: 'mcp__a__x' }, { server: 'a', durationMs: 9 })]);
      assert.deepEqual(await read({ since: 36 }), [[50, 'a', 'mcp__a__x', 'completed', 9]]);
    });

    test('returns one entry for each call: the intent until there is an outcome', async () => {
      await store.append([
        draft({ call: 'a', type: 'CallStarted', outcome: '' }),
        draft({ call: 'b', type: 'CallStarted', outcome: '' }),
      ]);
      const open = await store.entries({ order: 'oldest-first', limit: 10, calls: true });
      assert.deepEqual(
        open.map((entry) => [entry.call, entry.type]),
        [
          ['a', 'CallStarted'],
          ['b', 'CallStarted'],
        ],
      );
      await store.append([draft({ call: 'a' })]);
      const after = await store.entries({ order: 'oldest-first', limit: 10, calls: true });
      assert.deepEqual(
        after.map((entry) => [entry.call, entry.type]),
        [
          ['b', 'CallStarted'],
          ['a', 'ToolInvoked'],
        ],
      );
    });

    test('stores a recording with its entry, and finds it by its call', async () => {
      await store.append([draft({ call: 'a', recording: '{"outcome":"completed"}' }), draft({ call: 'b' })]);
      assert.equal(await store.recording('a'), '{"outcome":"completed"}');
      assert.equal(await store.recording('b'), undefined);
      assert.deepEqual(await store.storedOutcomes({ from: 'recordings', after: '', limit: 9 }), [
        { key: 'a', call: 'a', fingerprint: '', outcome: '{"outcome":"completed"}' },
      ]);
      assert.equal((await verifyChain(store)).ok, true);
    });

    test('claims an idempotency key once, and does not write the second intent', async () => {
      const claim = { key: 'k', fingerprint: 'f' };
      const [first] = await store.append([draft({ call: 'a', type: 'CallStarted', outcome: '', claim })]);
      assert.equal(first?.seq, 1);
      assert.deepEqual(await store.claim('k'), { call: 'a', fingerprint: 'f' });
      const [second, other] = await store.append([
        draft({ call: 'b', type: 'CallStarted', outcome: '', claim }),
        draft({ call: 'c' }),
      ]);
      assert.equal(second, undefined);
      assert.equal(other?.seq, 2);
      await store.append([draft({ call: 'a', settle: { key: 'k', outcome: '{"outcome":"completed"}' } })]);
      assert.deepEqual(await store.claim('k'), { call: 'a', fingerprint: 'f', outcome: '{"outcome":"completed"}' });
      assert.equal(await store.claim('other'), undefined);
      const outcome = '{"outcome":"completed"}';
      const stored = [{ key: 'k', call: 'a', fingerprint: 'f', outcome }];
      assert.deepEqual(await store.storedOutcomes({ from: 'claims', after: '', limit: 9 }), stored);
      assert.deepEqual(await store.storedOutcomes({ from: 'claims', after: 'k', limit: 9 }), []);
    });

    test('stores large results and reads them in pages that never split a character', async () => {
      const text = 'ab😀'.repeat(60_000);
      await store.storeResult({ id: 'r', owner: 'someone', mimeType: 'text/plain', text });
      let read = '';
      for (let offset: number | undefined = 0; offset !== undefined;) {
        const page = await store.readResult('r', offset, 9_999);
        assert.ok(page !== undefined);
        assert.ok(page.text.isWellFormed(), `page at ${offset} splits a character`);
        assert.equal(page.total, text.length);
        assert.equal(page.owner, 'someone');
        read += page.text;
        offset = page.next;
      }
      assert.equal(read, text);
      assert.equal((await store.readResult('r', text.length + 5, 10))?.text, '');
      assert.equal(await store.readResult('none', 0, 10), undefined);
    });

    test('drops old entries with other records of that age, and the rest stays verifiable', async () => {
      await fillStore(store, { calls: 1300, until: 10_000_000 });
      const all = await store.entries({ order: 'oldest-first', limit: 10_000 });
      const cut = all.findIndex(({ at }) => at > 5_000_000);
      const last = all[cut - 1];
      assert.ok(last !== undefined && cut > 600);
      const from = await store.beginning();
      assert.deepEqual(from, { seq: 0, hash: '', at: 0 });
      const head = all.at(-1) ?? last;
      const to = { seq: last.seq, hash: last.hash, at: last.at };
      const dropped = await store.drop({ from, to, before: 5_000_000 });
      // Open approvals, keys without an outcome and recent results stay.
      assert.deepEqual(dropped, { entries: cut, approvals: 2, results: 0, recordings: 1, claims: 1 });
      assert.deepEqual(await store.beginning(), to);
      assert.deepEqual(await store.entries({ order: 'oldest-first', limit: 10_000 }), all.slice(cut));
      const verified = await verifyChain(store);
      assert.deepEqual([verified.ok, verified.entries], [true, all.length - cut], JSON.stringify(verified));
      assert.equal((await verifyChain(store, { expected: head })).ok, true);
      const calls = await store.entries({ order: 'oldest-first', limit: 10_000, calls: true });
      const ended = all.slice(cut).filter(({ type }) => type === 'ToolInvoked');
      const { at: times } = await store.samples({ since: 0, until: 2e13, limit: 10_000 });
      assert.deepEqual([calls.length, times.length], [ended.length + 1, ended.length]);
      assert.deepEqual(await Promise.all(['key', 'unsettled'].map(async (key) => (await store.claim(key))?.call)), [
        undefined,
        'keyed too',
      ]);
      assert.deepEqual(
        (await store.approvals({ limit: 9 })).map(({ id }) => id),
        ['appr_2'],
      );
      assert.equal((await store.rules()).length, 1);
      assert.equal((await store.drop({ from: to, to, before: 2e13 })).results, 1);
      assert.equal(await store.readResult('large', 0, 10), undefined);
      const [added] = await store.append([draft()]);
      assert.equal(added?.seq, head.seq + 1);
      await assert.rejects(async () => store.drop({ from, to: { ...to, seq: to.seq + 5 }, before: 0 }), {
        code: 'journal-pruned',
      });
      assert.equal((await verifyChain(store)).ok, true);
    });

    test('`ownSince` is undefined when another process may have written', async () => {
      await store.append([draft({ call: 'a' })]);
      // A driver may always return `undefined`.
      const isOwn = (seq: number, newest: number): boolean => [undefined, newest].includes(store.ownSince(seq));
      assert.ok(isOwn(0, 1));
      if (!store.isShared) return;
      const other = await fixture.open();
      try {
        // So many that each process holds the tail for a while.
        const many = async (writer: Store): Promise<void> => {
          for (let count = 0; count < 40; count += 1) await writer.append([draft({ call: `c${count}` })]);
        };
        await many(other);
        assert.equal(store.ownSince(1), undefined);
        await store.entries({ order: 'newest-first', limit: 1 });
        assert.equal(store.ownSince(1), undefined);
        assert.ok(isOwn(41, 41));
        await many(store);
        assert.ok(isOwn(41, 81));
        assert.equal(other.ownSince(41), undefined);
        await other.append([draft({ call: 'b' })]);
        assert.equal(store.ownSince(81), undefined);
        await store.append([draft({ call: 'd' })]);
        assert.equal(store.ownSince(81), undefined);
        assert.ok(isOwn(82, 83));
      } finally {
        await other.close();
      }
    });

    test('resolves concurrent calls of `sync`', async () => {
      await store.append([draft()]);
      await store.sync();
      await Promise.all([store.sync(), store.sync(), store.sync()]);
    });

    test('does not report calls of this process as orphans', async () => {
      await store.append([draft({ call: 'a', type: 'CallStarted', outcome: '' })]);
      assert.deepEqual(await store.orphans(), []);
    });

    test('returns the open calls of this process until they have an outcome', async () => {
      const started = ['a', 'b', 'c'].map((call) => draft({ call, type: 'CallStarted', outcome: '' }));
      await store.append(started);
      await store.append([draft({ call: 'b' })]);
      assert.deepEqual(
        (await store.openCalls()).map(({ call }) => call),
        ['a', 'c'],
      );
    });

    test('lists this process as a live writer', async () => {
      assert.deepEqual([...(await store.liveWriters())], [store.writer]);
    });

    if (!isPersistent) return;

    test('lists every process that has the store open, and none that closed it', async () => {
      const other = await fixture.open();
      assert.deepEqual(await store.liveWriters(), new Set([store.writer, other.writer]));
      await other.close();
      assert.deepEqual(await store.liveWriters(), new Set([store.writer]));
    });

    test('keeps all records when the store is reopened, and continues the chain', async () => {
      await store.append([draft({ call: 'a', type: 'CallStarted', outcome: '' }), draft({ call: 'b' })]);
      await store.storeResult({ id: 'r', owner: 'o', mimeType: 'text/plain', text: 'stored' });
      await store.close();
      store = await fixture.open();
      assert.deepEqual(await store.anchor(), await headOf(store));
      await store.append([draft({ call: 'c' })]);
      assert.deepEqual(
        (await store.entries({ order: 'oldest-first', limit: 9 })).map((entry) => entry.seq),
        [1, 2, 3],
      );
      assert.equal((await verifyChain(store)).ok, true);
      assert.equal((await store.readResult('r', 0, 10))?.text, 'stored');
      assert.deepEqual(
        (await store.orphans()).map((entry) => entry.call),
        ['a'],
      );
    });
  });
}

async function headOf(store: Store): Promise<{ seq: number; hash: string }> {
  const [head] = await store.entries({ order: 'newest-first', limit: 1 });
  return { seq: head?.seq ?? 0, hash: head?.hash ?? '' };
}
