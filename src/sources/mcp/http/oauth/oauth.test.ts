import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { freePort } from '../../../../../test/support/http/free-port.ts';
import { boxed, until } from '../../../../../test/mcp-servers/boxed.ts';
import { echo, failedSignIn, signedIn, storedRecord, transportTo } from '../../../../../test/mcp-servers/person.ts';
import { browse, protectedServer } from '../../../../../test/mcp-servers/protected-server.ts';
import { type ProtectedServer, type TokenStore, signIn, signOut } from '../../../../index.ts';
import { BearerAuthorization, authorizedFetch } from './bearer-authorization.ts';
import { memoryTokenStore } from './oauth-session.ts';

/** Returns the transport of another process with the same stored sign-in. */
function inOtherProcess(transport: ProtectedServer, change: Partial<TokenStore> = {}): ProtectedServer {
  const { load, save } = transport.oauth.tokens ?? assert.fail();
  return { ...transport, oauth: { ...transport.oauth, tokens: { load, save, ...change } } };
}

for (const era of ['legacy', 'modern'] as const)
  test(`a person signs in with the browser, and the server’s tools can be called (${era})`, async (t) => {
    const server = await protectedServer(t, era);
    const { transport, page } = await signedIn(server);
    assert.equal(page.status, 200);
    assert.match(page.text, /Signed in/);
    const { box, server: mounted } = await boxed(t, { transport });
    assert.equal(mounted.health().state, 'up', mounted.health().lastError);
    assert.equal((await box.call(...echo('hello'))).outcome, 'completed');
  });

test('requests to the provider are bound to the server: PKCE, state and resource, also in the renewal', async (t) => {
  const server = await protectedServer(t);
  const { transport } = await signedIn(server);
  server.provider.expireAccessTokens();
  const { box } = await boxed(t, { transport });
  assert.equal((await box.call(...echo('on'))).outcome, 'completed');
  const [authorize, code, refresh] = server.provider.requests.map(({ fields }) => fields);
  assert.equal(authorize?.['code_challenge_method'], 'S256');
  assert.ok((authorize?.['state'] ?? '').length >= 43);
  assert.equal(authorize?.['scope'], 'use', 'the scope that the server’s refusal named');
  assert.match(authorize?.['redirect_uri'] ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  assert.deepEqual(
    [authorize, code, refresh].map((fields) => fields?.['resource']),
    [server.url, server.url, server.url],
  );
  assert.deepEqual([code?.['grant_type'], refresh?.['grant_type']], ['authorization_code', 'refresh_token']);
});

test('the metadata of the server is also found at the well-known URL', async (t) => {
  const server = await protectedServer(t);
  server.namesMetadata = false;
  server.metadata['scopes_supported'] = ['use', 'more'];
  const { transport } = await signedIn(server);
  assert.equal(server.provider.requests[0]?.fields['scope'], 'use more');
  const { server: mounted } = await boxed(t, { transport });
  assert.equal(mounted.health().state, 'up', mounted.health().lastError);
});

describe('renewal of tokens', () => {
  test('happens after a refusal, once for all concurrent calls, with rotation', async (t) => {
    const server = await protectedServer(t);
    const { transport } = await signedIn(server);
    const { box } = await boxed(t, { transport });
    server.provider.behavior.tokenDelayMs = 100;
    for (const round of [1, 2]) {
      server.provider.expireAccessTokens();
      const results = await Promise.all(Array.from({ length: 20 }, (_, index) => box.call(...echo(`${index}`))));
      assert.ok(results.every(({ outcome }) => outcome === 'completed'));
      assert.equal(server.provider.count('refresh_token'), round);
    }
  });

  test('happens before they expire, without a refusal', async (t) => {
    const server = await protectedServer(t);
    const { transport } = await signedIn(server);
    const { key, text } = await storedRecord(transport);
    const due = JSON.stringify({ ...(JSON.parse(text) as object), renewAt: Date.now() - 1 });
    await transport.oauth.tokens?.save(key, due);
    const { server: mounted } = await boxed(t, { transport: inOtherProcess(transport) });
    assert.equal(mounted.health().state, 'up', mounted.health().lastError);
    assert.equal(server.provider.count('refresh_token'), 1);
    assert.equal(server.refused.length, 0);
    const { renewAt = 0, expiresAt = 0 } = JSON.parse((await storedRecord(transport)).text) as Record<string, number>;
    assert.ok(renewAt < expiresAt && expiresAt > Date.now());
  });

  test('by another process is adopted, and the refresh token is not used twice', async (t) => {
    const server = await protectedServer(t);
    const { transport } = await signedIn(server);
    const { box } = await boxed(t, { transport });
    server.provider.expireAccessTokens();
    const { box: other } = await boxed(t, { transport: inOtherProcess(transport) });
    assert.equal((await other.call(...echo('there'))).outcome, 'completed');
    assert.equal((await box.call(...echo('here'))).outcome, 'completed');
    assert.equal(server.provider.count('refresh_token'), 1);
  });

  test('by another process at the same time is adopted by the second, which waits for the stored result', async (t) => {
    const server = await protectedServer(t);
    const { transport } = await signedIn(server);
    const stored = await storedRecord(transport);
    server.provider.expireAccessTokens();
    const { box: other } = await boxed(t, { transport });
    assert.equal((await other.call(...echo('there'))).outcome, 'completed');
    const renewed = await storedRecord(transport);
    assert.notEqual(stored.text, renewed.text);
    // The first read returns the state before the other process wrote, the next read the new state.
    const reads = [stored.text, stored.text, stored.text, renewed.text];
    const load = (): Promise<string> => Promise.resolve(reads.shift() ?? renewed.text);
    server.provider.behavior.refusesRefresh = true;
    const { box } = await boxed(t, { transport: inOtherProcess(transport, { load }) });
    assert.equal((await box.call(...echo('here'))).outcome, 'completed');
    assert.equal(server.provider.count('refresh_token'), 2, 'it tried once, and was refused');
  });
});

describe('a server that needs sign-in', () => {
  test('is down with the reason and the next step, and up as soon as a person has signed in', async (t) => {
    const server = await protectedServer(t);
    const transport = transportTo(server, { howToSignIn: 'signalbox login fixture' });
    const { box, server: mounted } = await boxed(t, { transport });
    assert.equal(mounted.health().lastError, 'needs sign-in (nobody has signed in yet): signalbox login fixture');
    assert.equal(server.fixture.requests.length, 0, 'it received no request');
    await signedIn(server, transport);
    await until(() => mounted.health().state === 'up', 'the server is up');
    assert.equal((await box.call(...echo('hello'))).outcome, 'completed');
  });

  test('is down with the same reason over HTTP+SSE', async (t) => {
    const server = await protectedServer(t);
    const transport: ProtectedServer = { ...transportTo(server), type: 'sse' };
    const { server: mounted } = await boxed(t, { transport });
    assert.match(mounted.health().lastError ?? '', /^needs sign-in \(nobody has signed in yet\): call signIn\(\)/);
  });

  test('is down after a refused renewal, which is not tried again, and runs nothing', async (t) => {
    const server = await protectedServer(t);
    const { transport } = await signedIn(server, transportTo(server, { howToSignIn: 'signalbox login fixture' }));
    const { box, server: mounted } = await boxed(t, { transport });
    server.provider.behavior.refusesRefresh = true;
    server.provider.expireAccessTokens();
    const result = await box.call('mcp__fixture__act', { file: '/dev/null', line: 'x' });
    assert.deepEqual([result.outcome, result.error?.code], ['failed', 'server-down'], JSON.stringify(result));
    await until(() => mounted.state().down !== undefined, 'the server is down');
    assert.match(mounted.state().down?.reason ?? '', /^needs sign-in \(.*invalid_grant.*\): signalbox login fixture$/);
    assert.equal(mounted.state().down?.needsSignIn, true);
    await mounted.restart();
    assert.match(mounted.health().lastError ?? '', /needs sign-in .*invalid_grant/);
    assert.equal(server.provider.count('refresh_token'), 1);
  });

  test('stays down after a refresh token was used twice, which ends the sign-in', async (t) => {
    const server = await protectedServer(t);
    const { transport } = await signedIn(server);
    const before = await storedRecord(transport);
    server.provider.expireAccessTokens();
    const { server: mounted } = await boxed(t, { transport });
    assert.equal(mounted.health().state, 'up');
    // A copy of the store from before the rotation, as from a backup.
    const old = memoryTokenStore();
    await old.save(before.key, before.text);
    const { server: restored } = await boxed(t, { transport: inOtherProcess(transport, old) });
    assert.match(restored.health().lastError ?? '', /needs sign-in .*invalid_grant/);
    await mounted.restart();
    assert.match(mounted.health().lastError ?? '', /needs sign-in/, 'the provider has ended the whole sign-in');
  });

  test('names the scope that a tool lacks, and the next sign-in requests it', async (t) => {
    const server = await protectedServer(t);
    server.scopes.set('act', 'write');
    const { transport } = await signedIn(server);
    const { box, server: mounted } = await boxed(t, { transport });
    const act = (): ReturnType<typeof box.call> => box.call('mcp__fixture__act', { file: '/dev/null', line: 'x' });
    const refused = await act();
    assert.equal(refused.outcome, 'failed');
    assert.match(refused.error?.message ?? '', /needs sign-in \(it requires the scope "write"\)/);
    assert.equal(mounted.health().state, 'up', 'its other tools still work');
    await signedIn(server, transport);
    assert.deepEqual(
      server.provider.requests.findLast(({ path }) => path === '/authorize')?.fields['scope'],
      'use write',
    );
    const allowed = await act();
    assert.equal(allowed.outcome, 'completed', JSON.stringify(allowed));
  });

  test('needs no new sign-in when the provider only fails', async (t) => {
    const server = await protectedServer(t);
    const { transport } = await signedIn(server);
    const tokens = transport.oauth.tokens ?? assert.fail();
    const { key, text } = await storedRecord(transport);
    await tokens.save(key, text.replace(`${server.provider.issuer}/token`, `${server.provider.issuer}/nowhere`));
    server.provider.expireAccessTokens();
    const { server: mounted } = await boxed(t, { transport: inOtherProcess(transport) });
    assert.match(mounted.health().lastError ?? '', /could not be renewed: the token endpoint answered with HTTP 404/);
    await tokens.save(key, text);
    await mounted.restart();
    assert.equal(mounted.health().state, 'up', mounted.health().lastError);
  });
});

describe('a sign-in fails without a token', () => {
  test('when the response has another state: the browser shows it, and the code is not redeemed', async (t) => {
    const server = await protectedServer(t);
    server.provider.behavior.state = (given) => `${given.slice(0, -1)}~`;
    const { error, page } = await failedSignIn(server, 500);
    assert.match(error, /nobody signed in within/);
    assert.match(page, /This response does not belong to the pending sign-in/);
    assert.equal(server.provider.count('authorization_code'), 0);
  });

  for (const [problem, iss] of [
    ['names another issuer', 'https://evil.example'],
    ['names no issuer, although that is announced', undefined],
  ] as const)
    test(`when the response ${problem}`, async (t) => {
      const server = await protectedServer(t);
      server.provider.behavior.iss = iss;
      const { error, page } = await failedSignIn(server);
      assert.match(error, /the response is from (?:https:\/\/evil\.example|an unknown issuer), not from http/);
      assert.match(page, /Not signed in/);
      assert.equal(server.provider.count('authorization_code'), 0);
    });

  test('when the person refuses', async (t) => {
    const server = await protectedServer(t);
    server.provider.behavior.error = 'access_denied';
    assert.match((await failedSignIn(server)).error, /refused: access_denied/);
  });

  test('when the metadata is for another resource', async (t) => {
    const server = await protectedServer(t);
    server.metadata['resource'] = 'https://elsewhere.example/mcp';
    assert.match((await failedSignIn(server)).error, /its metadata is for another resource, https:\/\/elsewhere/);
    server.metadata['resource'] = `${server.url}/deeper`;
    assert.match((await failedSignIn(server)).error, /its metadata is for another resource/);
  });

  test('when the metadata names another issuer', async (t) => {
    const server = await protectedServer(t);
    server.provider.behavior.metadata = { issuer: 'https://elsewhere.example' };
    assert.match((await failedSignIn(server)).error, /elsewhere\.example/);
  });

  test('when the provider does not announce PKCE with S256', async (t) => {
    const server = await protectedServer(t);
    server.provider.behavior.metadata = { code_challenge_methods_supported: ['plain'] };
    assert.match((await failedSignIn(server)).error, /does not announce PKCE with S256/);
  });

  test('when the token endpoint has another private address', async (t) => {
    const server = await protectedServer(t);
    const { port } = new URL(server.provider.issuer);
    server.provider.behavior.metadata = { token_endpoint: `http://localhost:${port}/token` };
    assert.match(
      (await failedSignIn(server)).error,
      /localhost resolves to .* must be configured by that address itself/,
    );
    assert.equal(server.provider.count('authorization_code'), 0);
  });

  test('when the authorization server has another private address', async (t) => {
    const server = await protectedServer(t);
    server.metadata['authorization_servers'] = ['https://169.254.169.254'];
    assert.match(
      (await failedSignIn(server)).error,
      /169\.254\.169\.254 is an address of this machine or of a private network/,
    );
  });

  test('when the authorization server has no TLS', async (t) => {
    const server = await protectedServer(t);
    server.metadata['authorization_servers'] = ['http://example.org'];
    assert.match((await failedSignIn(server)).error, /http:\/\/example\.org is not an https URL/);
  });

  test('when the authorization server is not the configured one', async (t) => {
    const server = await protectedServer(t);
    const transport = transportTo(server, { issuer: 'https://trusted.example' });
    await assert.rejects(
      signIn(transport, { onAuthorize: () => assert.fail() }),
      /the configuration only https:\/\/trusted/,
    );
  });
});

test('an authorization server on another private host is reached only when the configuration names it', async (t) => {
  const server = await protectedServer(t);
  const issuer = server.provider.issuer.replace('127.0.0.1', 'localhost');
  server.metadata['authorization_servers'] = [issuer];
  server.provider.behavior.iss = issuer;
  server.provider.behavior.metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
  };
  assert.match((await failedSignIn(server)).error, /must be configured by that address itself/);
  const { transport } = await signedIn(server, transportTo(server, { issuer }));
  server.provider.expireAccessTokens();
  const { server: mounted } = await boxed(t, { transport });
  assert.equal(mounted.health().state, 'up', mounted.health().lastError);
});

test('the loopback address accepts only the expected host, method and state', async (t) => {
  const server = await protectedServer(t);
  const statuses: number[] = [];
  await signIn(transportTo(server), {
    async onAuthorize(url) {
      const callback = new URL(url.searchParams.get('redirect_uri') ?? '');
      const query = `?state=${url.searchParams.get('state')}&code=x`;
      statuses.push(await statusOf(callback, query, { host: `evil.example:${callback.port}` }));
      statuses.push(await statusOf(callback, query, { method: 'POST' }));
      statuses.push(await statusOf(callback, '?state=', {}));
      void browse(url);
    },
  });
  assert.deepEqual(statuses, [404, 404, 400]);
});

function statusOf(
  callback: URL,
  query: string,
  { host, method = 'GET' }: { host?: string; method?: string },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host };
    request(
      { port: callback.port, host: callback.hostname, path: `${callback.pathname}${query}`, method, headers },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    )
      .on('error', reject)
      .end();
  });
}

test('a cancelled sign-in closes its listener', async (t) => {
  const server = await protectedServer(t);
  const cancellation = new AbortController();
  let callback = '';
  const signing = signIn(transportTo(server), {
    signal: cancellation.signal,
    onAuthorize(url) {
      callback = url.searchParams.get('redirect_uri') ?? '';
      cancellation.abort();
    },
  });
  await assert.rejects(signing, /the sign-in was cancelled/);
  await assert.rejects(fetch(callback));
});

describe('the OAuth client', () => {
  test('signs in with client credentials, by the method that the provider supports', async (t) => {
    for (const method of ['client_secret_basic', 'client_secret_post']) {
      const server = await protectedServer(t);
      const [clientId, clientSecret] = ['machine:1', 's3cret: with %, + and ü'];
      server.provider.clients.set(clientId, { secret: clientSecret, redirectUris: [] });
      server.provider.behavior.metadata = { token_endpoint_auth_methods_supported: [method] };
      const credentials = { grant: 'client_credentials', clientId, clientSecret, scopes: ['use'] } as const;
      const { box } = await boxed(t, { transport: transportTo(server, credentials) });
      assert.equal((await box.call(...echo('hello'))).outcome, 'completed');
      server.provider.expireAccessTokens();
      assert.equal((await box.call(...echo('again'))).outcome, 'completed');
      assert.equal(server.provider.count('client_credentials'), 2);
      assert.equal(server.provider.requests[0]?.authorization === null, method === 'client_secret_post');
    }
  });

  test('is the configured one, with its secret and its port', async (t) => {
    const server = await protectedServer(t);
    const redirectPort = await freePort();
    const redirectUris = [`http://127.0.0.1:${redirectPort}/callback`];
    server.provider.clients.set('ours', { secret: 'of-ours', redirectUris });
    const oauth = { clientId: 'ours', clientSecret: 'of-ours', redirectPort };
    const { transport } = await signedIn(server, transportTo(server, oauth));
    server.provider.expireAccessTokens();
    const { server: mounted } = await boxed(t, { transport });
    assert.equal(mounted.health().state, 'up', mounted.health().lastError);
    assert.equal(server.provider.clients.size, 1, 'none was registered');
  });

  test('is a metadata document where one is configured and the provider supports it', async (t) => {
    const server = await protectedServer(t);
    const clientMetadataUrl = 'https://signalbox.example/client.json';
    const redirectPort = await freePort();
    server.provider.clients.set(clientMetadataUrl, { redirectUris: [`http://127.0.0.1:${redirectPort}/callback`] });
    server.provider.behavior.metadata = { client_id_metadata_document_supported: true };
    await signedIn(server, transportTo(server, { clientMetadataUrl, redirectPort }));
    assert.equal(server.provider.clients.size, 1, 'none was registered');
  });

  test('names the next step when it can neither register nor is configured', async (t) => {
    const server = await protectedServer(t);
    server.provider.behavior.metadata = { registration_endpoint: undefined };
    assert.match(
      (await failedSignIn(server)).error,
      /does not support dynamic client registration: .* set its "clientId"/,
    );
  });
});

test('signing out deletes the tokens and revokes them', async (t) => {
  const server = await protectedServer(t);
  const { transport } = await signedIn(server);
  assert.deepEqual(await signOut(transport), { wasSignedIn: true, isRevoked: true });
  assert.equal(server.provider.accessTokens.size, 0);
  assert.deepEqual(await signOut(transport), { wasSignedIn: false, isRevoked: false });
  const { server: mounted } = await boxed(t, { transport });
  assert.match(mounted.health().lastError ?? '', /needs sign-in \(nobody has signed in yet\)/);
});

test('every token is reported to `onSecret` before it is used, and sent to no other origin', async (t) => {
  const server = await protectedServer(t);
  const reported = new Set<string>();
  const transport = transportTo(server, { onSecret: (_name, value) => reported.add(value) });
  await signedIn(server, transport);
  server.provider.expireAccessTokens();
  const { box } = await boxed(t, { transport });
  assert.equal((await box.call(...echo('on'))).outcome, 'completed');
  const issued = [...server.provider.accessTokens.keys(), ...server.provider.refreshTokens.keys()];
  assert.equal(issued.length, 3);
  for (const token of issued) assert.ok(reported.has(token));
  const sent: [string, string | null][] = [];
  const send = authorizedFetch(new URL(server.url), new BearerAuthorization(transport), (url, init) => {
    sent.push([String(url), new Headers(init?.headers).get('authorization')]);
    return Promise.resolve(new Response(''));
  });
  await send('https://elsewhere.example/mcp');
  await send(server.url);
  assert.deepEqual(
    sent.map(([url, authorization]) => [url, authorization === null]),
    [
      ['https://elsewhere.example/mcp', true],
      [server.url, false],
    ],
  );
});
