import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { freePort } from '../../../../../test/support/free-port.ts';
import { boxed, until } from '../../../../../test/mcp-servers/boxed.ts';
import { echo, keptOf, notSignedIn, signedIn, transportTo } from '../../../../../test/mcp-servers/person.ts';
import { browse, protectedServer } from '../../../../../test/mcp-servers/protected-server.ts';
import { type ProtectedServer, type TokenStore, signIn, signOut } from '../../../../index.ts';
import { BearerAuthorization, authorizedFetch } from './bearer-authorization.ts';
import { memoryTokenStore } from './tokens/token-store.ts';

/** The same sign-in in another process: a second object with the same contents. */
function elsewhere(transport: ProtectedServer, change: Partial<TokenStore> = {}): ProtectedServer {
  const { load, save } = transport.oauth.tokens ?? assert.fail();
  return { ...transport, oauth: { ...transport.oauth, tokens: { load, save, ...change } } };
}

for (const era of ['legacy', 'modern'] as const)
  test(`a person signs in with the browser, and the tools of the server can be called (${era})`, async (t) => {
    const server = await protectedServer(t, era);
    const { transport, page } = await signedIn(server);
    assert.equal(page.status, 200);
    assert.match(page.text, /Signed in/);
    const { box, server: mounted } = await boxed(t, { transport });
    assert.equal(mounted.health().state, 'up', mounted.health().lastError);
    assert.equal((await box.call(...echo('hello'))).outcome, 'completed');
  });

test('what the provider is asked for is bound to the server: proof, state, resource, in the grant and in its renewal', async (t) => {
  const server = await protectedServer(t);
  const { transport } = await signedIn(server);
  server.provider.expireAccessTokens();
  const { box } = await boxed(t, { transport });
  assert.equal((await box.call(...echo('on'))).outcome, 'completed');
  const [authorize, code, refresh] = server.provider.asked.map(({ fields }) => fields);
  assert.equal(authorize?.['code_challenge_method'], 'S256');
  assert.ok((authorize?.['state'] ?? '').length >= 43);
  assert.equal(authorize?.['scope'], 'use', 'what the refusal of the server named');
  assert.match(authorize?.['redirect_uri'] ?? '', /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  assert.deepEqual(
    [authorize, code, refresh].map((fields) => fields?.['resource']),
    [server.url, server.url, server.url],
  );
  assert.deepEqual([code?.['grant_type'], refresh?.['grant_type']], ['authorization_code', 'refresh_token']);
});

test('the metadata of the server is found at its well-known place, too', async (t) => {
  const server = await protectedServer(t);
  server.namesMetadata = false;
  server.metadata['scopes_supported'] = ['use', 'more'];
  const { transport } = await signedIn(server);
  assert.equal(server.provider.asked[0]?.fields['scope'], 'use more');
  const { server: mounted } = await boxed(t, { transport });
  assert.equal(mounted.health().state, 'up', mounted.health().lastError);
});

describe('tokens are renewed', () => {
  test('when the server does not take them any more: once for all calls at the same time, with rotation', async (t) => {
    const server = await protectedServer(t);
    const { transport } = await signedIn(server);
    const { box } = await boxed(t, { transport });
    server.provider.behaviour.tokenDelayMs = 100;
    for (const round of [1, 2]) {
      server.provider.expireAccessTokens();
      const results = await Promise.all(Array.from({ length: 20 }, (_, index) => box.call(...echo(`${index}`))));
      assert.ok(results.every(({ outcome }) => outcome === 'completed'));
      assert.equal(server.provider.count('refresh_token'), round);
    }
  });

  test('before they expire, without a refusal', async (t) => {
    const server = await protectedServer(t);
    const { transport } = await signedIn(server);
    const { key, text } = await keptOf(transport);
    const aged = JSON.stringify({ ...(JSON.parse(text) as object), renewAt: Date.now() - 1 });
    await transport.oauth.tokens?.save(key, aged);
    const { server: mounted } = await boxed(t, { transport: elsewhere(transport) });
    assert.equal(mounted.health().state, 'up', mounted.health().lastError);
    assert.equal(server.provider.count('refresh_token'), 1);
    assert.equal(server.refused.length, 0);
    const { renewAt = 0, expiresAt = 0 } = JSON.parse((await keptOf(transport)).text) as Record<string, number>;
    assert.ok(renewAt < expiresAt && expiresAt > Date.now());
  });

  test('by another process: its token is taken, and the refresh token is not used twice', async (t) => {
    const server = await protectedServer(t);
    const { transport } = await signedIn(server);
    const { box } = await boxed(t, { transport });
    server.provider.expireAccessTokens();
    const { box: other } = await boxed(t, { transport: elsewhere(transport) });
    assert.equal((await other.call(...echo('there'))).outcome, 'completed');
    assert.equal((await box.call(...echo('here'))).outcome, 'completed');
    assert.equal(server.provider.count('refresh_token'), 1);
  });

  test('by another process at the same moment: the one that came second waits for what the first writes down', async (t) => {
    const server = await protectedServer(t);
    const { transport } = await signedIn(server);
    const kept = await keptOf(transport);
    server.provider.expireAccessTokens();
    const { box: other } = await boxed(t, { transport });
    assert.equal((await other.call(...echo('there'))).outcome, 'completed');
    const renewed = await keptOf(transport);
    assert.notEqual(kept.text, renewed.text);
    // The first read returns the state before the other process wrote, the next read the new state.
    const reads = [kept.text, kept.text, kept.text, renewed.text];
    const load = (): Promise<string> => Promise.resolve(reads.shift() ?? renewed.text);
    server.provider.behaviour.refusesRefresh = true;
    const { box } = await boxed(t, { transport: elsewhere(transport, { load }) });
    assert.equal((await box.call(...echo('here'))).outcome, 'completed');
    assert.equal(server.provider.count('refresh_token'), 2, 'it tried, and was refused');
  });
});

describe('a server that needs sign-in', () => {
  test('is down with the reason and what to do, and up as soon as somebody has signed in', async (t) => {
    const server = await protectedServer(t);
    const transport = transportTo(server, { howToSignIn: 'signalbox login fixture' });
    const { box, server: mounted } = await boxed(t, { transport });
    assert.equal(mounted.health().lastError, 'needs sign-in (nobody has signed in yet): signalbox login fixture');
    assert.equal(server.fixture.requests.length, 0, 'it was not even asked');
    await signedIn(server, transport);
    await until(() => mounted.health().state === 'up', 'it is up');
    assert.equal((await box.call(...echo('hello'))).outcome, 'completed');
  });

  test('is down with the same words over HTTP+SSE', async (t) => {
    const server = await protectedServer(t);
    const transport: ProtectedServer = { ...transportTo(server), type: 'sse' };
    const { server: mounted } = await boxed(t, { transport });
    assert.match(mounted.health().lastError ?? '', /^needs sign-in \(nobody has signed in yet\): call signIn\(\)/);
  });

  test('is down when the sign-in cannot be renewed, nothing was run, and the refusal is not asked for again', async (t) => {
    const server = await protectedServer(t);
    const { transport } = await signedIn(server, transportTo(server, { howToSignIn: 'signalbox login fixture' }));
    const { box, server: mounted } = await boxed(t, { transport });
    server.provider.behaviour.refusesRefresh = true;
    server.provider.expireAccessTokens();
    const result = await box.call('mcp__fixture__act', { file: '/dev/null', line: 'x' });
    assert.deepEqual([result.outcome, result.error?.code], ['failed', 'server-down'], JSON.stringify(result));
    await until(() => mounted.state().down !== undefined, 'it is down');
    assert.match(mounted.state().down?.reason ?? '', /^needs sign-in \(.*invalid_grant.*\): signalbox login fixture$/);
    assert.equal(mounted.state().down?.needsSignIn, true);
    await mounted.restart();
    assert.match(mounted.health().lastError ?? '', /needs sign-in .*invalid_grant/);
    assert.equal(server.provider.count('refresh_token'), 1);
  });

  test('a refresh token that was used twice ends the sign-in', async (t) => {
    const server = await protectedServer(t);
    const { transport } = await signedIn(server);
    const before = await keptOf(transport);
    server.provider.expireAccessTokens();
    const { server: mounted } = await boxed(t, { transport });
    assert.equal(mounted.health().state, 'up');
    // A copy of the store from before the rotation, as a backup would bring it back.
    const old = memoryTokenStore();
    await old.save(before.key, before.text);
    const { server: thief } = await boxed(t, { transport: elsewhere(transport, old) });
    assert.match(thief.health().lastError ?? '', /needs sign-in .*invalid_grant/);
    await mounted.restart();
    assert.match(mounted.health().lastError ?? '', /needs sign-in/, 'the provider has ended the whole sign-in');
  });

  test('a tool that needs more than was granted fails with the scope, and the next sign-in asks for it', async (t) => {
    const server = await protectedServer(t);
    server.scopes.set('act', 'write');
    const { transport } = await signedIn(server);
    const { box, server: mounted } = await boxed(t, { transport });
    const act = (): ReturnType<typeof box.call> => box.call('mcp__fixture__act', { file: '/dev/null', line: 'x' });
    const refused = await act();
    assert.equal(refused.outcome, 'failed');
    assert.match(refused.error?.message ?? '', /needs sign-in \(it wants the scope "write"\)/);
    assert.equal(mounted.health().state, 'up', 'its other tools still work');
    await signedIn(server, transport);
    assert.deepEqual(server.provider.asked.findLast(({ path }) => path === '/authorize')?.fields['scope'], 'use write');
    const allowed = await act();
    assert.equal(allowed.outcome, 'completed', JSON.stringify(allowed));
  });

  test('a provider that does not answer is no reason to sign in again', async (t) => {
    const server = await protectedServer(t);
    const { transport } = await signedIn(server);
    const tokens = transport.oauth.tokens ?? assert.fail();
    const { key, text } = await keptOf(transport);
    await tokens.save(key, text.replace(`${server.provider.issuer}/token`, `${server.provider.issuer}/nowhere`));
    server.provider.expireAccessTokens();
    const { server: mounted } = await boxed(t, { transport: elsewhere(transport) });
    assert.match(mounted.health().lastError ?? '', /could not be renewed: the token endpoint answered with HTTP 404/);
    await tokens.save(key, text);
    await mounted.restart();
    assert.equal(mounted.health().state, 'up', mounted.health().lastError);
  });
});

describe('what does not fit is refused, and no token is issued', () => {
  test('an answer with another state: the browser is told, and the code is not redeemed', async (t) => {
    const server = await protectedServer(t);
    server.provider.behaviour.state = (given) => `${given.slice(0, -1)}~`;
    const { why, page } = await notSignedIn(server, 500);
    assert.match(why, /nobody signed in within/);
    assert.match(page, /This is not the answer to the sign-in that is waiting/);
    assert.equal(server.provider.count('authorization_code'), 0);
  });

  for (const [what, iss] of [
    ['another issuer', 'https://evil.example'],
    ['no issuer, although it is announced', undefined],
  ] as const)
    test(`an answer of ${what}`, async (t) => {
      const server = await protectedServer(t);
      server.provider.behaviour.iss = iss;
      const { why, page } = await notSignedIn(server);
      assert.match(why, /the answer comes from (?:https:\/\/evil\.example|nobody) and not from http/);
      assert.match(page, /Not signed in/);
      assert.equal(server.provider.count('authorization_code'), 0);
    });

  test('a refusal of the person', async (t) => {
    const server = await protectedServer(t);
    server.provider.behaviour.error = 'access_denied';
    assert.match((await notSignedIn(server)).why, /refused: access_denied/);
  });

  test('metadata that is for another resource', async (t) => {
    const server = await protectedServer(t);
    server.metadata['resource'] = 'https://elsewhere.example/mcp';
    assert.match((await notSignedIn(server)).why, /its metadata is for another resource, https:\/\/elsewhere/);
    server.metadata['resource'] = `${server.url}/deeper`;
    assert.match((await notSignedIn(server)).why, /its metadata is for another resource/);
  });

  test('metadata of another issuer than the one that was asked', async (t) => {
    const server = await protectedServer(t);
    server.provider.behaviour.metadata = { issuer: 'https://elsewhere.example' };
    assert.match((await notSignedIn(server)).why, /elsewhere\.example/);
  });

  test('a provider that does not say it checks the proof', async (t) => {
    const server = await protectedServer(t);
    server.provider.behaviour.metadata = { code_challenge_methods_supported: ['plain'] };
    assert.match((await notSignedIn(server)).why, /does not say that it supports PKCE with S256/);
  });

  test('a token endpoint at another address inside', async (t) => {
    const server = await protectedServer(t);
    const { port } = new URL(server.provider.issuer);
    server.provider.behaviour.metadata = { token_endpoint: `http://localhost:${port}/token` };
    assert.match((await notSignedIn(server)).why, /localhost resolves to .* must be configured by that address itself/);
    assert.equal(server.provider.count('authorization_code'), 0);
  });

  test('an authorization server at another address inside', async (t) => {
    const server = await protectedServer(t);
    server.metadata['authorization_servers'] = ['https://169.254.169.254'];
    assert.match(
      (await notSignedIn(server)).why,
      /169\.254\.169\.254 is an address of this machine or of a private network/,
    );
  });

  test('an authorization server without TLS', async (t) => {
    const server = await protectedServer(t);
    server.metadata['authorization_servers'] = ['http://example.org'];
    assert.match((await notSignedIn(server)).why, /http:\/\/example\.org is no https address/);
  });

  test('an authorization server that is not the configured one', async (t) => {
    const server = await protectedServer(t);
    const transport = transportTo(server, { issuer: 'https://trusted.example' });
    await assert.rejects(
      signIn(transport, { onAuthorize: () => assert.fail() }),
      /the configuration only https:\/\/trusted/,
    );
  });
});

test('an authorization server inside, on another host, is reached only when the configuration names it', async (t) => {
  const server = await protectedServer(t);
  const issuer = server.provider.issuer.replace('127.0.0.1', 'localhost');
  server.metadata['authorization_servers'] = [issuer];
  server.provider.behaviour.iss = issuer;
  server.provider.behaviour.metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
  };
  assert.match((await notSignedIn(server)).why, /must be configured by that address itself/);
  const { transport } = await signedIn(server, transportTo(server, { issuer }));
  server.provider.expireAccessTokens();
  const { server: mounted } = await boxed(t, { transport });
  assert.equal(mounted.health().state, 'up', mounted.health().lastError);
});

test('a host that was not asked for gets nothing from the loopback address', async (t) => {
  const server = await protectedServer(t);
  const answers: number[] = [];
  await signIn(transportTo(server), {
    async onAuthorize(url) {
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      const query = `?state=${url.searchParams.get('state')}&code=x`;
      answers.push(await statusOf(back, query, { host: `evil.example:${back.port}` }));
      answers.push(await statusOf(back, query, { method: 'POST' }));
      answers.push(await statusOf(back, '?state=', {}));
      void browse(url);
    },
  });
  assert.deepEqual(answers, [404, 404, 400]);
});

function statusOf(
  back: URL,
  query: string,
  { host, method = 'GET' }: { host?: string; method?: string },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = host === undefined ? {} : { host };
    request({ port: back.port, host: back.hostname, path: `${back.pathname}${query}`, method, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

test('a sign-in can be cancelled, and leaves nothing listening', async (t) => {
  const server = await protectedServer(t);
  const stop = new AbortController();
  let back = '';
  const signing = signIn(transportTo(server), {
    signal: stop.signal,
    onAuthorize(url) {
      back = url.searchParams.get('redirect_uri') ?? '';
      stop.abort();
    },
  });
  await assert.rejects(signing, /the sign-in was cancelled/);
  await assert.rejects(fetch(back));
});

describe('the client', () => {
  test('signs in by itself with client credentials, in the way the provider takes', async (t) => {
    for (const method of ['client_secret_basic', 'client_secret_post']) {
      const server = await protectedServer(t);
      const [clientId, clientSecret] = ['machine:1', 's3cret: with %, + and ü'];
      server.provider.clients.set(clientId, { secret: clientSecret, redirectUris: [] });
      server.provider.behaviour.metadata = { token_endpoint_auth_methods_supported: [method] };
      const credentials = { grant: 'client_credentials', clientId, clientSecret, scopes: ['use'] } as const;
      const { box } = await boxed(t, { transport: transportTo(server, credentials) });
      assert.equal((await box.call(...echo('hello'))).outcome, 'completed');
      server.provider.expireAccessTokens();
      assert.equal((await box.call(...echo('again'))).outcome, 'completed');
      assert.equal(server.provider.count('client_credentials'), 2);
      assert.equal(server.provider.asked[0]?.authorization === null, method === 'client_secret_post');
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

  test('is a metadata document where one is configured and the provider takes it', async (t) => {
    const server = await protectedServer(t);
    const clientMetadataUrl = 'https://signalbox.example/client.json';
    const redirectPort = await freePort();
    server.provider.clients.set(clientMetadataUrl, { redirectUris: [`http://127.0.0.1:${redirectPort}/callback`] });
    server.provider.behaviour.metadata = { client_id_metadata_document_supported: true };
    await signedIn(server, transportTo(server, { clientMetadataUrl, redirectPort }));
    assert.equal(server.provider.clients.size, 1, 'none was registered');
  });

  test('that can neither register nor is configured is told what to do', async (t) => {
    const server = await protectedServer(t);
    server.provider.behaviour.metadata = { registration_endpoint: undefined };
    assert.match((await notSignedIn(server)).why, /lets no client register itself: .* give its "clientId"/);
  });
});

test('signing out forgets the tokens and has them revoked', async (t) => {
  const server = await protectedServer(t);
  const { transport } = await signedIn(server);
  assert.deepEqual(await signOut(transport), { wasSignedIn: true, isRevoked: true });
  assert.equal(server.provider.accessTokens.size, 0);
  assert.deepEqual(await signOut(transport), { wasSignedIn: false, isRevoked: false });
  const { server: mounted } = await boxed(t, { transport });
  assert.match(mounted.health().lastError ?? '', /needs sign-in \(nobody has signed in yet\)/);
});

test('every token is told of before it is used, and goes to no other origin', async (t) => {
  const server = await protectedServer(t);
  const told = new Set<string>();
  const transport = transportTo(server, { onSecret: (_name, value) => told.add(value) });
  await signedIn(server, transport);
  server.provider.expireAccessTokens();
  const { box } = await boxed(t, { transport });
  assert.equal((await box.call(...echo('on'))).outcome, 'completed');
  const issued = [...server.provider.accessTokens.keys(), ...server.provider.refreshTokens.keys()];
  assert.equal(issued.length, 3);
  for (const token of issued) assert.ok(told.has(token));
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
