import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { type StoreFixture, draft } from './store.conformance.ts';
import type { Store } from './store.ts';
import type { TokenChange, TokenRecord } from './access-token-store.ts';

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

/** The tests of access tokens for every driver of the Store port. */
export function accessTokenStoreConformance(
  name: string,
  isPersistent: boolean,
  createFixture: () => Promise<StoreFixture>,
): void {
  describe(`AccessTokenStore (${name})`, () => {
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
    const change = async (token: TokenChange): Promise<boolean> =>
      (await store.append([draft({ token })]))[0] !== undefined;
    const create = (given: Partial<TokenRecord> = {}): Promise<boolean> =>
      change({ kind: 'create', record: record(given) });

    test('stores tokens unchanged, finds them by exact id, and lists them newest first', async () => {
      const other = record({ id: 'tok_2', role: 'approver', profile: 'p', createdAt: 2000, expiresAt: 3000 });
      await create();
      await change({ kind: 'create', record: other });
      assert.deepEqual(await store.tokens.find('tok_1'), record());
      assert.equal(await store.tokens.find('tok_'), undefined);
      assert.deepEqual(await store.tokens.list({ limit: 9 }), [other, record()]);
      assert.deepEqual(await store.tokens.list({ limit: 1 }), [other]);
    });

    test('refuses a second token with the same id, and does not write its entry', async () => {
      assert.equal(await create(), true);
      assert.equal(await create({ role: 'admin' }), false);
      assert.deepEqual(await store.tokens.find('tok_1'), record());
      assert.equal((await store.entries({ order: 'oldest-first', limit: 9 })).length, 1);
    });

    test('revokes a token once, and keeps the first time', async () => {
      await create();
      assert.equal(await change({ kind: 'revoke', id: 'tok_none', at: 5 }), false);
      assert.equal(await change({ kind: 'revoke', id: 'tok_1', at: 5 }), true);
      assert.equal(await change({ kind: 'revoke', id: 'tok_1', at: 6 }), false);
      assert.equal((await store.tokens.find('tok_1'))?.revokedAt, 5);
    });

    test('stores the latest recorded use', async () => {
      await create();
      for (const at of [70, 90, 80]) await store.tokens.used('tok_1', at);
      await store.tokens.used('tok_none', 1);
      assert.equal((await store.tokens.find('tok_1'))?.lastUsedAt, 90);
    });

    if (!isPersistent) return;

    test('shows changes of one process to another at once', async () => {
      const other = await fixture.open();
      await create();
      for (const each of [store, other]) assert.deepEqual(await each.tokens.find('tok_1'), record());
      await other.append([draft({ token: { kind: 'revoke', id: 'tok_1', at: 5 } })]);
      assert.equal((await store.tokens.find('tok_1'))?.revokedAt, 5);
      await other.close();
    });
  });
}
