import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { ApprovalChange, ApprovalRecord } from './approval-store.ts';
import { type StoreFixture, draft } from './store.conformance.ts';
import type { Store } from './store.ts';

function record(given: Partial<ApprovalRecord> = {}): ApprovalRecord {
  return {
    id: 'appr_1',
    binding: 'b1',
    subject: 's1',
    principal: 'bot',
    server: 'bank',
    requestedAt: 1000,
    expiresAt: 2000,
    asked: '{"tool":"é\\u0000😀"}',
    answer: '',
    given: '',
    closed: false,
    usedBy: '',
    ...given,
  };
}

/** The tests of approvals for every driver of the Store port. */
export function approvalStoreConformance(
  name: string,
  isPersistent: boolean,
  createFixture: () => Promise<StoreFixture>,
): void {
  describe(`ApprovalStore (${name})`, () => {
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

    /** Returns whether an entry with this change was written. */
    const change = async (approval: ApprovalChange, call = 'call_1'): Promise<boolean> =>
      (await store.append([draft({ call, approval })]))[0] !== undefined;
    const ask = (given: Partial<ApprovalRecord> = {}): Promise<boolean> =>
      change({ kind: 'ask', record: record(given) });
    const answer = (id: string, at: number, how: 'approved' | 'denied' = 'approved'): Promise<boolean> =>
      change({ kind: 'answer', id, at, answer: how, given: `{"how":"${how}"}` });
    const use = (id: string, at: number, call?: string): Promise<boolean> => change({ kind: 'use', id, at }, call);
    const find = async (query: object): Promise<string[]> =>
      (await store.approvals({ limit: 10, ...query })).map(({ id }) => id);

    test('stores approvals unchanged, and finds them by id, binding, subject, principal and server, newest first', async () => {
      await ask();
      await ask({ id: 'appr_2', binding: 'b2', requestedAt: 1500, server: 'mail' });
      await ask({ id: 'appr_3', binding: 'b3', subject: 's3', requestedAt: 1200, principal: 'other' });
      assert.deepEqual(await store.approval('appr_1'), record());
      assert.equal(await store.approval('appr_'), undefined);
      assert.deepEqual(await find({}), ['appr_2', 'appr_3', 'appr_1']);
      assert.deepEqual(await find({ limit: 1 }), ['appr_2']);
      assert.deepEqual(await find({ binding: 'b2' }), ['appr_2']);
      assert.deepEqual(await find({ subject: 's1' }), ['appr_2', 'appr_1']);
      assert.deepEqual(await find({ principal: 'bot', server: 'bank' }), ['appr_1']);
    });

    test('reads approvals page by page, and counts them by principal', async () => {
      await ask({ id: 'appr_1', binding: 'b1' });
      await ask({ id: 'appr_2', binding: 'b2' });
      await ask({ id: 'appr_3', binding: 'b3', requestedAt: 1200, principal: 'other' });
      await ask({ id: 'appr_4', binding: 'b4', requestedAt: 1100, expiresAt: 1300 });
      await answer('appr_2', 1500);
      await answer('appr_3', 1500, 'denied');
      // Approvals with the same time are in the order of their writes.
      assert.deepEqual(await find({ limit: 2 }), ['appr_3', 'appr_4']);
      assert.deepEqual(await find({ limit: 2, after: 'appr_4' }), ['appr_2', 'appr_1']);
      assert.deepEqual(await find({ after: 'appr_1' }), []);
      assert.deepEqual(await find({ after: 'appr_none' }), []);
      assert.deepEqual(await find({ answers: [''] }), ['appr_4', 'appr_1']);
      assert.deepEqual(await find({ answers: ['', 'approved'], openAt: 1600 }), ['appr_2', 'appr_1']);
      assert.deepEqual(await store.countApprovals({}), [
        { principal: 'bot', count: 3 },
        { principal: 'other', count: 1 },
      ]);
      assert.deepEqual(await store.countApprovals({ answers: [''], openAt: 1600 }), [{ principal: 'bot', count: 1 }]);
    });

    test('refuses a second open approval for a binding, and does not write its entry', async () => {
      assert.equal(await ask(), true);
      assert.equal(await ask({ id: 'appr_2', requestedAt: 1999 }), false);
      assert.equal((await store.entries({ order: 'oldest-first', limit: 9 })).length, 1);
      assert.equal(await ask({ id: 'appr_3', requestedAt: 2000, expiresAt: 3000 }), true, 'the first has expired');
      assert.deepEqual(await find({ openAt: 1999 }), ['appr_3', 'appr_1']);
      assert.deepEqual(await find({ openAt: 2000 }), ['appr_3']);
    });

    test('accepts only the first answer, and none after expiry', async () => {
      await ask();
      await ask({ id: 'appr_2', binding: 'b2' });
      assert.equal(await answer('appr_2', 2000), false);
      assert.equal(await answer('appr_1', 1999), true);
      assert.equal(await answer('appr_1', 1999, 'denied'), false);
      assert.equal(await answer('none', 1), false);
      const { answer: given, given: text } = (await store.approval('appr_1')) ?? record();
      assert.deepEqual([given, text], ['approved', '{"how":"approved"}']);
    });

    test('drops used, delivered and expired approvals with old entries, and no other', async () => {
      const expiresAt = Date.now() + 60_000;
      for (const [index, id] of ['used', 'denied', 'undelivered', 'closed', 'pending', 'recent'].entries())
        await ask({ id, binding: id, requestedAt: id === 'recent' ? 5000 : 1000 + index, expiresAt });
      await ask({ id: 'expired', binding: 'expired' });
      for (const id of ['used', 'closed']) await answer(id, 1500);
      for (const id of ['denied', 'undelivered']) await answer(id, 1500, 'denied');
      await use('used', 1500);
      for (const id of ['denied', 'closed']) await change({ kind: 'close', id });
      const [last] = await store.entries({ order: 'newest-first', limit: 1 });
      assert.ok(last !== undefined);
      const { approvals } = await store.drop({ from: await store.beginning(), to: last, before: 2000 });
      assert.equal(approvals, 3);
      assert.deepEqual(await find({}), ['recent', 'pending', 'closed', 'undelivered']);
    });

    test('lets one call use an approved, unexpired approval, once', async () => {
      await ask();
      assert.equal(await use('appr_1', 1500), false, 'not answered');
      await answer('appr_1', 1500);
      assert.equal(await use('appr_1', 2000), false, 'expired');
      assert.equal(await use('appr_1', 1999, 'call_9'), true);
      assert.equal(await use('appr_1', 1999, 'call_8'), false);
      assert.equal((await store.approval('appr_1'))?.usedBy, 'call_9');
      await ask({ id: 'appr_2' });
      await answer('appr_2', 1500, 'denied');
      assert.equal(await use('appr_2', 1500), false, 'denied');
    });

    test('does not use an approval for an intent whose idempotency key is taken, nor take a key when the approval is used', async () => {
      await ask();
      await answer('appr_1', 1500);
      const claim = { key: 'k', fingerprint: 'f' };
      await store.append([draft({ claim })]);
      const approval = { kind: 'use', id: 'appr_1', at: 1500 } as const;
      assert.deepEqual(await store.append([draft({ claim, approval })]), [undefined]);
      assert.equal(await use('appr_1', 1500), true);
      assert.equal(await store.claim('other'), undefined);
      assert.deepEqual(await store.append([draft({ claim: { key: 'other', fingerprint: 'f' }, approval })]), [
        undefined,
      ]);
      assert.equal(await store.claim('other'), undefined, 'the key is not taken');
    });

    test('accepts a new approval for the binding after a denial was closed', async () => {
      await ask();
      await answer('appr_1', 1500, 'denied');
      assert.equal(await ask({ id: 'appr_2' }), false);
      assert.equal(await change({ kind: 'close', id: 'appr_1' }), true);
      assert.equal(
        await change({ kind: 'close', id: 'appr_1' }),
        true,
        'never refused, because the entry is an outcome',
      );
      assert.equal(await ask({ id: 'appr_2' }), true);
    });

    test('stores a rule with the answer, finds it by principal and server, and revokes it once', async () => {
      const rule = { id: 'rule_1', principal: 'bot', server: 'bank', text: '{}' };
      await ask();
      await change({ kind: 'answer', id: 'appr_1', at: 1, answer: 'approved', given: '{}', rule });
      await change({
        kind: 'answer',
        id: 'appr_1',
        at: 1,
        answer: 'approved',
        given: '{}',
        rule: { ...rule, id: 'late' },
      });
      assert.deepEqual(await store.rules(), [rule]);
      assert.deepEqual(await store.rules({ principal: 'bot', server: 'bank' }), [rule]);
      assert.deepEqual(await store.rules({ principal: 'bot', server: 'mail' }), []);
      assert.deepEqual(await store.rules({ principal: 'other' }), []);
      const revoke = { kind: 'revoke', rule: 'rule_1', approval: 'appr_1' } as const;
      assert.equal(await change(revoke), true);
      assert.equal(await change(revoke), false);
      assert.deepEqual(await store.rules(), []);
      assert.equal(await use('appr_1', 1500), false, 'revoking the rule closes the approval that created it');
    });

    if (!isPersistent) return;

    test('keeps approvals when the store is reopened', async () => {
      await ask();
      await answer('appr_1', 1500);
      await store.close();
      store = await fixture.open();
      assert.equal(await use('appr_1', 1500), true);
      await store.close();
      store = await fixture.open();
      assert.equal(await use('appr_1', 1500), false);
    });
  });
}
