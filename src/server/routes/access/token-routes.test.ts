import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adminToken, bodyOf, startTestServer } from '../../../../test/support/http/http-server.ts';
import type { AccessToken } from '../../../access/access-tokens.ts';
import type { ProblemDocument } from '../../problems/problem.ts';

describe('/api/tokens', () => {
  it('creates a token that is returned only once, lists it and revokes it', async (test) => {
    const { send, box, logged } = await startTestServer(test);
    const response = await send(adminToken, 'POST', '/api/tokens', { role: 'viewer', name: 'board', expires: '30d' });
    assert.equal(response.status, 201);
    const { token, ...created } = await bodyOf<AccessToken & { token: string }>(response);
    assert.deepEqual([created.role, created.name, created.state], ['viewer', 'board', 'active']);
    assert.equal(Date.parse(created.expiresAt ?? '') - Date.parse(created.createdAt), 30 * 86_400_000);
    assert.equal((await send(token, 'GET', '/api/journal')).status, 200);
    const listed = await (await send(adminToken, 'GET', '/api/tokens')).text();
    const { items } = JSON.parse(listed) as { items: AccessToken[] };
    assert.deepEqual(
      items.map(({ lastUsedAt: _used, ...rest }) => rest),
      [created],
    );
    assert.ok(items[0]?.lastUsedAt !== undefined);
    const revoked = await send(adminToken, 'DELETE', `/api/tokens/${created.id}`);
    assert.equal((await bodyOf<AccessToken>(revoked)).state, 'revoked');
    assert.equal((await send(token, 'GET', '/api/journal')).status, 401);
    assert.equal((await send(adminToken, 'DELETE', `/api/tokens/${created.id}`)).status, 404);
    const recorded = JSON.stringify(await box.journal.query());
    for (const text of [listed, recorded, logged.join('\n')]) assert.ok(!text.includes(token.slice(24)));
    assert.match(recorded, /TokenCreated.*token:admin|token:admin.*TokenCreated/);
  });

  it('refuses invalid token requests with a reason', async (test) => {
    const { send } = await startTestServer(test);
    for (const [body, status, code] of [
      [{ role: 'boss' }, 400, 'request-invalid'],
      [{ role: 'agent', expires: 'soon' }, 400, 'request-invalid'],
      [{ role: 'agent', expires: '900000w' }, 422, 'token-invalid'],
      [{ role: 'viewer', profile: 'coding' }, 422, 'token-invalid'],
      [{ role: 'agent', name: 'a\nb' }, 422, 'token-invalid'],
    ] as const) {
      const response = await send(adminToken, 'POST', '/api/tokens', body);
      assert.deepEqual([response.status, (await bodyOf<ProblemDocument>(response)).code], [status, code]);
    }
  });

  it('a token in the arguments of a call is redacted in the journal', async (test) => {
    const { call, box, token } = await startTestServer(test);
    const { token: secret } = await token('agent');
    await call('echo', { arguments: { text: `mine is ${secret}` } });
    const recorded = JSON.stringify(await box.journal.query());
    assert.ok(!recorded.includes(secret.slice(24)));
    assert.match(recorded, /mine is \[redacted:signalbox-token\]/);
  });
});
