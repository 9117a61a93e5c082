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

interface Place {
  readonly tokens: AccessTokens;
  readonly store: Store;
  readonly reader: JournalReader;
  pass(ms: number): void;
}

function place(t: TestContext): Place {
  const store = sqliteStore();
  t.after(() => store.close());
  let now = Date.UTC(2026, 10, 15);
  const tokens = new AccessTokens(store.tokens, new Journal(store), createRedactor(), () => now);
  return { tokens, store, reader: new JournalReader(store), pass: (ms) => void (now += ms) };
}

describe('an access token', () => {
  test('lets its holder in with its role and profile; what is not it, letter for letter, does not', async (t) => {
    const { tokens } = place(t);
    const { token, id } = await tokens.create({ role: 'agent', profile: 'coding', by: alice });
    assert.match(token, /^sbx_[0-9a-z]{19}_[\w-]{43}$/);
    assert.deepEqual(await tokens.check(token), { state: 'active', id, role: 'agent', profile: 'coding' });
    const other = await tokens.create({ role: 'admin', by: alice });
    const swapped = `${other.token.slice(0, 24)}${token.slice(24)}`;
    const last = token.endsWith('A') ? 'B' : 'A';
    for (const wrong of [
      '',
      'sbx_',
      `${token}x`,
      ` ${token}`,
      token.slice(0, -1),
      token.slice(0, -1) + last,
      swapped,
      id,
    ])
      assert.deepEqual(await tokens.check(wrong), { state: 'wrong' }, wrong);
  });

  test('is kept as a hash alone, and stands neither in the store nor in the journal', async (t) => {
    const { tokens, store, reader } = place(t);
    const { token } = await tokens.create({ role: 'approver', name: 'phone', by: alice });
    const kept = JSON.stringify([await store.tokens.list({ limit: 9 }), await reader.query()]);
    assert.ok(!kept.includes(token.slice(24)));
  });

  test('ends with its time, and says so only to who has the whole of it', async (t) => {
    const { tokens, pass } = place(t);
    const { token, expiresAt } = await tokens.create({ role: 'viewer', expiresInMs: day, by: alice });
    assert.equal(expiresAt, '2026-11-16T00:00:00.000Z');
    pass(day - 1);
    assert.equal((await tokens.check(token)).state, 'active');
    pass(1);
    assert.equal((await tokens.check(token)).state, 'expired');
    assert.equal((await tokens.check(`${token.slice(0, -4)}AAAA`)).state, 'wrong');
    assert.deepEqual(
      (await tokens.list()).map(({ state }) => state),
      ['expired'],
    );
  });

  test('is revoked once, for good, and the journal tells who made and who revoked it', async (t) => {
    const { tokens, reader } = place(t);
    const { token, id } = await tokens.create({ role: 'agent', name: 'ci', expiresInMs: day, by: alice });
    const revoked = await tokens.revoke(id, { by: { id: 'bob', kind: 'human' } });
    assert.deepEqual([revoked.state, revoked.revokedAt], ['revoked', '2026-11-15T00:00:00.000Z']);
    assert.deepEqual(await tokens.check(token), { state: 'revoked' });
    assert.equal(await tokens.isActive(id), false);
    await assert.rejects(tokens.revoke(id, { by: alice }), { code: 'token-unknown', message: /was revoked before/ });
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

  test('its last use is set down at most once a minute', async (t) => {
    const { tokens, pass } = place(t);
    const { token } = await tokens.create({ role: 'viewer', by: alice });
    const lastUsed = async (): Promise<string | undefined> => (await tokens.list())[0]?.lastUsedAt;
    assert.equal(await lastUsed(), undefined);
    await tokens.check(token);
    assert.equal(await lastUsed(), '2026-11-15T00:00:00.000Z');
    pass(59_999);
    await tokens.check(token);
    assert.equal(await lastUsed(), '2026-11-15T00:00:00.000Z');
    pass(1);
    await tokens.check(token);
    assert.equal(await lastUsed(), '2026-11-15T00:01:00.000Z');
  });

  test('that cannot be used as meant is not made', async (t) => {
    const { tokens } = place(t);
    for (const [wrong, message] of [
      [{ role: 'admin', profile: 'coding' }, /profile binds tokens with the role agent/],
      [{ role: 'agent', profile: '' }, /profile has no name/],
      [{ role: 'agent', name: '' }, /1 to 100 characters/],
      [{ role: 'agent', name: 'a\u001b[2J' }, /visible/],
      [{ role: 'agent', expiresInMs: 0 }, /at least a second/],
      [{ role: 'agent', expiresInMs: Number.NaN }, /at least a second/],
      [{ role: 'agent', expiresInMs: 1e15 }, /ten years/],
      [{ role: 'agent', by: { id: 'bot', kind: 'agent' } }, /only humans/],
    ] as const)
      await assert.rejects(tokens.create({ by: alice, ...wrong }), { code: 'token-invalid', message });
    assert.deepEqual(await tokens.list(), []);
  });
});
