import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type StorePlace, draft } from './store.conformance.ts';
import type { Store } from './store.ts';
import type { TokenChange, TokenRecord } from './token-store.ts';

function record(given: Partial<TokenRecord> = {}): TokenRecord {
  return {
    id: 'tok_1',
    hash: 'ab'.repeat(32),
    role: 'agent',
    profile: '',
    name: 'é"😀',
    createdAt: 1000,
    expiresAt: 0,
    lastUsedAt: 0,
    revokedAt: 0,
    ...given,
  };
}

/** What every driver of the Store port must do about access tokens. */
export function tokenStoreConformance(name: string, lasting: boolean, place: () => Promise<StorePlace>): void {
  describe(`tokens in ${name}`, () => {
    let where: StorePlace;
    let store: Store;
    beforeEach(async () => {
      where = await place();
      store = await where.open();
    });
    afterEach(async () => {
      await store.close();
      await where.dispose();
    });

    /** Whether an entry with this change was written. */
    const change = async (token: TokenChange): Promise<boolean> =>
      (await store.append([draft({ token })]))[0] !== undefined;
    const create = (given: Partial<TokenRecord> = {}): Promise<boolean> =>
      change({ kind: 'create', record: record(given) });

    test('are kept as they are, found by their exact id, and listed newest first', async () => {
      const other = record({ id: 'tok_2', role: 'approver', profile: 'p', createdAt: 2000, expiresAt: 3000 });
      await create();
      await change({ kind: 'create', record: other });
      assert.deepEqual(await store.tokens.find('tok_1'), record());
      assert.equal(await store.tokens.find('tok_'), undefined);
      assert.deepEqual(await store.tokens.list({ limit: 9 }), [other, record()]);
      assert.deepEqual(await store.tokens.list({ limit: 1 }), [other]);
    });

    test('an id is taken once; the entry of the second is not written, and the first stays as it is', async () => {
      assert.equal(await create(), true);
      assert.equal(await create({ role: 'admin' }), false);
      assert.deepEqual(await store.tokens.find('tok_1'), record());
      assert.equal((await store.entries({ order: 'oldest-first', limit: 9 })).length, 1);
    });

    test('are revoked once, and stay revoked', async () => {
      await create();
      assert.equal(await change({ kind: 'revoke', id: 'tok_none', at: 5 }), false);
      assert.equal(await change({ kind: 'revoke', id: 'tok_1', at: 5 }), true);
      assert.equal(await change({ kind: 'revoke', id: 'tok_1', at: 6 }), false);
      assert.equal((await store.tokens.find('tok_1'))?.revokedAt, 5);
    });

    test('the last use is the latest one that was told', async () => {
      await create();
      for (const at of [70, 90, 80]) await store.tokens.used('tok_1', at);
      await store.tokens.used('tok_none', 1);
      assert.equal((await store.tokens.find('tok_1'))?.lastUsedAt, 90);
    });

    if (!lasting) return;

    test('what one process changes, another sees at once', async () => {
      const other = await where.open();
      await create();
      for (const each of [store, other]) assert.deepEqual(await each.tokens.find('tok_1'), record());
      await other.append([draft({ token: { kind: 'revoke', id: 'tok_1', at: 5 } })]);
      assert.equal((await store.tokens.find('tok_1'))?.revokedAt, 5);
      await other.close();
    });
  });
}
