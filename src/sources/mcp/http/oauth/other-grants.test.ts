import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SignJWT, exportPKCS8, generateKeyPair } from 'jose';
import { boxed } from '../../../../../test/mcp-servers/boxed.ts';
import { echo, failedSignIn, signedIn, storedRecord, transportTo } from '../../../../../test/mcp-servers/person.ts';
import { protectedServer } from '../../../../../test/mcp-servers/protected-server.ts';

describe('a server without metadata, as in 2025-03-26', () => {
  test('gets the sign-in and the renewal at the default endpoints of its origin', async (t) => {
    const server = await protectedServer(t, 'legacy');
    server.hasMetadata = false;
    server.provider.behavior.iss = undefined;
    const { transport } = await signedIn(server);
    const { origin } = new URL(server.url);
    const stored = JSON.parse((await storedRecord(transport)).text) as Record<string, unknown>;
    assert.deepEqual([stored['issuer'], stored['tokenEndpoint']], [origin, `${origin}/token`]);
    assert.equal(server.provider.requests[0]?.fields['code_challenge_method'], 'S256');
    server.provider.expireAccessTokens();
    const { box, server: mounted } = await boxed(t, { transport });
    assert.equal(mounted.health().state, 'up', mounted.health().lastError);
    assert.equal((await box.call(...echo('hello'))).outcome, 'completed');
    assert.equal(server.provider.count('refresh_token'), 1);
  });

  test('without those endpoints is reported with the URL where the registration failed', async (t) => {
    const server = await protectedServer(t);
    server.hasMetadata = false;
    server.provider.answer = () => Promise.resolve(new Response('', { status: 404 }));
    const { error } = await failedSignIn(server);
    assert.ok(error.includes(`did not register this client at ${new URL(server.url).origin}/register`), error);
  });

  test('is not assumed when its metadata names an authorization server without metadata', async (t) => {
    const server = await protectedServer(t);
    server.metadata['authorization_servers'] = [new URL(server.url).origin];
    const { error } = await failedSignIn(server);
    assert.match(error, /publishes no metadata/);
  });
});

describe('a client without a person', () => {
  for (const algorithm of ['ES256', 'PS256', 'EdDSA'])
    test(`signs in with its private key, which is never sent (${algorithm})`, async (t) => {
      const server = await protectedServer(t);
      const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
      server.provider.clients.set('service', { publicKey, redirectUris: [] });
      server.provider.behavior.metadata = { token_endpoint_auth_signing_alg_values_supported: [algorithm] };
      const credentials = { clientId: 'service', privateKey: await exportPKCS8(privateKey) };
      const transport = transportTo(server, { grant: 'client_credentials', ...credentials });
      const { box, server: mounted } = await boxed(t, { transport });
      assert.equal(mounted.health().state, 'up', mounted.health().lastError);
      server.provider.expireAccessTokens();
      assert.equal((await box.call(...echo('on'))).outcome, 'completed');
      const assertions = server.provider.requests.map(({ fields }) => fields['client_assertion']);
      assert.equal(new Set(assertions).size, 2, 'each assertion is used once');
      assert.doesNotMatch(JSON.stringify(server.provider.requests), /PRIVATE KEY/);
      assert.doesNotMatch((await storedRecord(transport)).text, /PRIVATE KEY/);
    });

  test('fails with the reason when its private key is invalid', async (t) => {
    const server = await protectedServer(t);
    const credentials = { clientId: 'service', privateKey: 'not a key' };
    const { server: mounted } = await boxed(t, {
      transport: transportTo(server, { grant: 'client_credentials', ...credentials }),
    });
    assert.match(mounted.health().lastError ?? '', /not a private key in PEM/);
  });

  test('signs in with the token of its platform, which is read again for each token request', async (t) => {
    const server = await protectedServer(t);
    const { provider } = server;
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    provider.behavior.platformKey = publicKey;
    provider.clients.set('workload', { redirectUris: [] });
    let audience = provider.issuer;
    const assertion = (): Promise<string> =>
      new SignJWT().setProtectedHeader({ alg: 'ES256' }).setAudience(audience).setExpirationTime('5m').sign(privateKey);
    const transport = transportTo(server, { grant: 'jwt_bearer', clientId: 'workload', assertion });
    const { box, server: mounted } = await boxed(t, { transport });
    assert.equal(mounted.health().state, 'up', mounted.health().lastError);
    provider.expireAccessTokens();
    assert.equal((await box.call(...echo('on'))).outcome, 'completed');
    assert.equal(provider.count('urn:ietf:params:oauth:grant-type:jwt-bearer'), 2);
    provider.expireAccessTokens();
    audience = 'https://another.example';
    const refused = await box.call(...echo('on'));
    assert.match(refused.error?.message ?? '', /issued no token for the token of this workload: invalid_grant/);
  });
});
