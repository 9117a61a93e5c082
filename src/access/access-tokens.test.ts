import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { Journal } from '../journal/journal.ts';
import { JournalReader } from '../journal/queries/journal-reader.ts';
import { createRedactor } from '../redaction/redactor.ts';
import type { Store } from '../journal/store/store.ts';
import { sqliteStore } from '../store/sqlite/sqlite-store.ts';
import { AccessTokens } from './access-tokens.ts';

const alice = { id: 'alice', kind: 'human' } as const;
const day = 86_400_000;

interface TestTokens {
  readonly tokens: AccessTokens;
  readonly store: Store;
  readonly reader: JournalReader;
  advance(ms: number): void;
}

function createTokens(t: TestContext): TestTokens {
  const store = sqliteStore();
  t.after(() => store.close());
  let now = Date.UTC(2026, 10, 15);
  const tokens = new AccessTokens(store.tokens, new Journal(store), createRedactor(), () => now);
  return { tokens, store, reader: new JournalReader(store), advance: (ms) => void (now += ms) };
}

describe('an access token', () => {
  test('authenticates with its role and profile; any other text is wrong', async (t) => {
    const { tokens } = createTokens(t);
    const { token, id } = await tokens.create({ role: 'agent', profile: 'coding', by: alice });
    assert.match(token, /^sbx_[0-9a-z]{19}_[\w-]{43}$/);
    assert.deepEqual(await tokens.check(token), { state: 'active', id, role: 'agent', profile: 'coding' });
    const other = await tokens.create({ role: 'admin', by: alice });
    const swapped = `${other.token.slice(0, 24)}${token.slice(24)}`;
    const last = token.endsWith('A') ? 'B' : 'A';
    for (const presented of [
      '',
      'sbx_',
      `${token}x`,
      ` ${token}`,
      token.slice(0, -1),
      token.slice(0, -1) + last,
      swapped,
      id,
    ])
      assert.deepEqual(await tokens.check(presented), { state: 'wrong' }, presented);
  });

  test('is stored only as a hash and does not appear in the store or the journal', async (t) => {
    const { tokens, store, reader } = createTokens(t);
    const { token } = await tokens.create({ role: 'approver', name: 'phone', by: alice });
    const stored = JSON.stringify([await store.tokens.list({ limit: 9 }), await reader.query()]);
    assert.ok(!stored.includes(token.slice(24)));
  });

  test('expires, and reports that only to a holder of the complete token', async (t) => {
    const { tokens, advance } = createTokens(t);
    const { token, expiresAt } = await tokens.create({ role: 'viewer', expiresInMs: day, by: alice });
    assert.equal(expiresAt, '2026-11-16T00:00:00.000Z');
    advance(day - 1);
    assert.equal((await tokens.check(token)).state, 'active');
    advance(1);
    assert.equal((await tokens.check(token)).state, 'expired');
    assert.equal((await tokens.check(`${token.slice(0, -4)}AAAA`)).state, 'wrong');
    assert.deepEqual(
      (await tokens.list()).map(({ state }) => state),
      ['expired'],
    );
  });

  test('is revoked once and permanently, and the journal records who created and who revoked it', async (t) => {
    const { tokens, reader } = createTokens(t);
    const { token, id } = await tokens.create({ role: 'agent', name: 'ci', expiresInMs: day, by: alice });
    const revoked = await tokens.revoke(id, { by: { id: 'bob', kind: 'human' } });
    assert.deepEqual([revoked.state, revoked.revokedAt], ['revoked', '2026-11-15T00:00:00.000Z']);
    assert.deepEqual(await tokens.check(token), { state: 'revoked' });
    assert.equal(await tokens.isActive(id), false);
    await assert.rejects(tokens.revoke(id, { by: alice }), { code: 'token-unknown', message: /is already revoked/ });
    await assert.rejects(tokens.revoke('tok_none', { by: alice }), { code: 'token-unknown' });
    const { items } = await reader.query({ order: 'oldest-first' });
    const digest = items[0]?.type === 'TokenCreated' ? items[0].digest : undefined;
    assert.match(digest ?? '', /^[0-9a-f]{64}$/);
    assert.deepEqual(
      items.map(({ seq: _seq, at: _at, hash: _hash, ...rest }) => rest),
      [
        {
          type: 'TokenCreated',
          tokenId: id,
          role: 'agent',
          name: 'ci',
          expiresAt: '2026-11-16T00:00:00.000Z',
          by: alice,
          digest,
        },
        { type: 'TokenRevoked', tokenId: id, role: 'agent', by: { id: 'bob', kind: 'human' } },
      ],
    );
  });

  test('records its last use at most once a minute', async (t) => {
    const { tokens, advance } = createTokens(t);
    const { token } = await tokens.create({ role: 'viewer', by: alice });
    const lastUsed = async (): Promise<string | undefined> => (await tokens.list())[0]?.lastUsedAt;
    assert.equal(await lastUsed(), undefined);
    await tokens.check(token);
    assert.equal(await lastUsed(), '2026-11-15T00:00:00.000Z');
    advance(59_999);
    await tokens.check(token);
    assert.equal(await lastUsed(), '2026-11-15T00:00:00.000Z');
    advance(1);
    await tokens.check(token);
    assert.equal(await lastUsed(), '2026-11-15T00:01:00.000Z');
  });

  test('is not created with invalid properties', async (t) => {
    const { tokens } = createTokens(t);
    for (const [properties, message] of [
      [{ role: 'admin', profile: 'coding' }, /profile restricts only tokens with the role agent/],
      [{ role: 'agent', profile: '' }, /name of the profile is empty/],
      [{ role: 'agent', name: '' }, /1 to 100 visible characters/],
      [{ role: 'agent', name: 'a\u001b[2J' }, /1 to 100 visible characters/],
      [{ role: 'agent', expiresInMs: 0 }, /at least 1 second/],
      [{ role: 'agent', expiresInMs: Number.NaN }, /at least 1 second/],
      [{ role: 'agent', expiresInMs: 1e15 }, /10 years/],
      [{ role: 'agent', by: { id: 'bot', kind: 'agent' } }, /only humans/],
    ] as const)
      await assert.rejects(tokens.create({ by: alice, ...properties }), { code: 'token-invalid', message });
    assert.deepEqual(await tokens.list(), []);
  });
});
