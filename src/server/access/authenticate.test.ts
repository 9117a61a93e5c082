import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { describe, it } from 'node:test';
import { adminToken, sendRawRequest, bodyOf, startTestServer } from '../../../test/support/http/http-server.ts';
import { createTokenMatcher } from './tokens/bearer-tokens.ts';
import { localUser } from '../../access/local-user.ts';

const protectedPaths = [
  '/api/info',
  '/api/tools',
  '/api/journal',
  '/metrics',
  '/openapi.json',
  '/console/index.js',
  '/nowhere',
];

describe('authenticate', () => {
  it('refuses every route except health without a token, also on localhost', async (test) => {
    const { server } = await startTestServer(test);
    for (const path of protectedPaths) {
      const response = await fetch(server.url + path);
      assert.equal(response.status, 401, path);
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer /);
      assert.equal((await bodyOf<{ code: string }>(response)).code, 'token-missing');
    }
    assert.equal((await fetch(`${server.url}/api/health`)).status, 200);
  });

  it('refuses a wrong token, even with a valid cookie, and never reveals the right one', async (test) => {
    const { server, signIn } = await startTestServer(test);
    const browser = await signIn();
    for (const authorization of [
      'Bearer wrong',
      `Bearer ${adminToken}x`,
      'Bearer',
      `Basic ${adminToken}`,
      `Bearer ${adminToken} x`,
    ]) {
      const response = await fetch(`${server.url}/api/info`, { headers: { ...browser, authorization } });
      assert.equal(response.status, 401, authorization);
      const text = await response.text();
      assert.match(text, /token-wrong/);
      assert.doesNotMatch(text, new RegExp(adminToken));
    }
  });

  it('accepts a valid token with any case of the scheme', async (test) => {
    const { server } = await startTestServer(test);
    for (const scheme of ['Bearer', 'bearer']) {
      const response = await fetch(`${server.url}/api/info`, { headers: { authorization: `${scheme} ${adminToken}` } });
      assert.equal(response.status, 200);
    }
  });

  it('compares tokens in constant time', (test) => {
    const spy = test.mock.method(crypto, 'timingSafeEqual');
    syncBuiltinESMExports();
    test.after(() => {
      spy.mock.restore();
      syncBuiltinESMExports();
    });
    const check = createTokenMatcher(adminToken);
    assert.equal(check('short'), false);
    assert.equal(check(adminToken), true);
    assert.deepEqual(
      spy.mock.calls.map(({ arguments: [left, right] }) => [left.byteLength, right.byteLength]),
      [
        [32, 32],
        [32, 32],
      ],
    );
  });

  it('throws for an empty admin token', () => {
    assert.throws(() => createTokenMatcher(''), /empty/);
  });

  it('records calls of an agent under its token, and calls of the admin token and a browser as those of a human', async (test) => {
    const { server, box, call, signIn, token, send } = await startTestServer(test);
    const agent = await token('agent');
    await send(agent.token, 'POST', '/api/tools/mcp__test__echo/call', { arguments: { text: 'c' } });
    await call('echo', { arguments: { text: 'a' } });
    const headers = { ...(await signIn()), origin: server.url, 'content-type': 'application/json' };
    await fetch(`${server.url}/api/tools/mcp__test__echo/call`, {
      method: 'POST',
      headers,
      body: '{"arguments":{"text":"b"}}',
    });
    const { items } = await box.journal.calls({ tool: 'mcp__test__echo' });
    assert.deepEqual(
      items.map(({ principal }) => principal),
      [
        localUser(),
        { id: 'token:admin', kind: 'human', name: 'admin token' },
        { id: `token:${agent.id}`, kind: 'agent' },
      ],
    );
  });

  it('redacts the admin token in the journal when a call contains it', async (test) => {
    const { box, call } = await startTestServer(test);
    await call('echo', { arguments: { text: `my token is ${adminToken}` } });
    assert.doesNotMatch(JSON.stringify(await box.journal.query()), new RegExp(adminToken));
  });
});

describe('cross-site requests', () => {
  const path = '/api/servers/test/disable';

  it('need an Origin of this server to change anything with a cookie', async (test) => {
    const { server, box, signIn } = await startTestServer(test);
    const browser = await signIn();
    const host = `127.0.0.1:${server.port}`;
    const attempt = async (headers: Record<string, string>): Promise<number> =>
      (await sendRawRequest(server, path, { method: 'POST', headers: { host, ...browser, ...headers } })).status;
    assert.equal(await attempt({}), 403);
    assert.equal(await attempt({ 'sec-fetch-site': 'cross-site' }), 403);
    assert.equal(await attempt({ 'sec-fetch-site': 'same-site' }), 403);
    assert.equal(await attempt({ origin: 'http://evil.example' }), 403);
    assert.equal(await attempt({ origin: `http://127.0.0.1:${server.port + 1}` }), 403);
    assert.equal(await attempt({ origin: 'null' }), 403);
    assert.equal(box.catalog().servers.find(({ name }) => name === 'test')?.status, 'up');
    assert.equal(await attempt({ 'sec-fetch-site': 'same-origin' }), 200);
    assert.equal(await attempt({ origin: `http://${host}` }), 200);
    assert.equal(box.catalog().servers.find(({ name }) => name === 'test')?.status, 'disabled');
  });

  it('are accepted with a token and without an Origin', async (test) => {
    const { server } = await startTestServer(test);
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}` },
    });
    assert.equal(response.status, 200);
  });
});
