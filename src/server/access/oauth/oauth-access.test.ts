import assert from 'node:assert/strict';
import { createHmac, createPublicKey } from 'node:crypto';
import { type TestContext, describe, it } from 'node:test';
import { begin, envelope, messageOf, send, sendModern } from '../../../../test/mcp-clients/raw.ts';
import { type Serving, serving, token as adminToken } from '../../../../test/mcp-clients/serving.ts';
import {
  type AuthorizationServer,
  type SigningKey,
  type TokenOverrides,
  startAuthorizationServer,
  createSigningKey,
} from '../../../../test/support/http/authorization-server.ts';
import { sendRawRequest } from '../../../../test/support/http/http-server.ts';
import type { RunningServer } from '../../server-options.ts';
import type { IssuerSettings, OAuthSettings } from '../../../config/schema/oauth-schema.ts';
import type { KeyCacheTimes } from './issuer-keys.ts';

const profiles = { coding: { tools: ['ping'] }, other: {}, trusting: { trustsHuman: true } };
const ping = { name: 'mcp__signalbox__ping', arguments: {} };

/** A server that trusts an authorization server. */
interface TrustingServer extends Serving {
  readonly issuer: AuthorizationServer;
  /** The settings, which can change while the server runs. */
  readonly trust: { settings: OAuthSettings | undefined };
  resource(profile?: string): string;
  token(wish?: TokenOverrides & { readonly resource?: string }): Promise<string>;
  /** Sends a request with this token and returns the response. */
  call(token: string, profile?: string): Promise<CallResponse>;
}

interface CallResponse {
  readonly status: number;
  readonly challenge: string;
  readonly code: string | undefined;
  readonly detail: string | undefined;
}

interface TrustOptions {
  readonly issuer?: Partial<IssuerSettings>;
  readonly openId?: boolean;
  readonly times?: Partial<KeyCacheTimes>;
}

async function startTrusting(t: TestContext, options: TrustOptions = {}): Promise<TrustingServer> {
  const issuer = await startAuthorizationServer(t, options.openId);
  const trust: TrustingServer['trust'] = { settings: { issuers: [{ issuer: issuer.issuer, ...options.issuer }] } };
  const served = await serving(
    t,
    { profiles },
    { oauth: () => trust.settings, limits: { graceMs: 200, keyTimes: options.times ?? {} } },
  );
  const at = (profile?: string): URL => new URL(profile === undefined ? '/mcp' : `/mcp/${profile}`, served.url);
  const resource = (profile?: string): string => at(profile).href;
  return {
    ...served,
    issuer,
    trust,
    resource,
    token: ({ resource: wanted = resource(), ...wish } = {}) => issuer.token(wanted, wish),
    async call(token, profile) {
      const headers = { Authorization: `Bearer ${token}` };
      const response = await sendModern(at(profile), 'tools/call', ping, { headers });
      const body = (await response.json()) as { code?: string; detail?: string };
      const challenge = response.headers.get('www-authenticate') ?? '';
      return { status: response.status, challenge, code: body.code, detail: body.detail };
    },
  };
}

function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Returns a token with the same claims, a different header and a new signature. */
function resigned(token: string, header: object, sign: (input: string) => string): string {
  const [, body = ''] = token.split('.');
  const input = `${base64(header)}.${body}`;
  return `${input}.${sign(input)}`;
}

describe('OAuth token of a trusted authorization server', () => {
  for (const algorithm of ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'])
    it(`authenticates an agent (${algorithm})`, async (t) => {
      const { issuer, token, call, logged } = await startTrusting(t, { openId: algorithm === 'ES384' });
      issuer.keys = [await createSigningKey('one', algorithm), await createSigningKey('other', 'ES512')];
      assert.equal((await call(await token())).status, 200);
      assert.deepEqual(logged, []);
    });

  it('is accepted in addition to the tokens of this server, and only at the MCP endpoint', async (t) => {
    const { box, url, token, call } = await startTrusting(t);
    const by = { id: 'user:test', kind: 'human' } as const;
    const own = await box.tokens.create({ role: 'agent', by });
    const signed = await token();
    assert.deepEqual([(await call(own.token)).status, (await call(adminToken)).status], [200, 200]);
    assert.equal((await call(signed)).status, 200);
    const headers = { Authorization: `Bearer ${signed}` };
    assert.equal((await fetch(new URL('/api/tools', url), { headers })).status, 401);
  });

  it('is refused with 401 and the reason for each defect', async (t) => {
    const { issuer, token, call, resource } = await startTrusting(t);
    const now = Math.floor(Date.now() / 1000);
    const valid = await token();
    const stranger = await createSigningKey('first');
    const [key = assert.fail()] = issuer.keys;
    const publicKey = createPublicKey({ key: { ...key.published }, format: 'jwk' });
    const hmacWith = (secret: string | Buffer) => (input: string) =>
      createHmac('sha256', secret).update(input).digest('base64url');
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const hs256 = { alg: 'HS256', kid: 'first', typ: 'at+jwt' };
    const [head = '', body = '', signature = ''] = valid.split('.');
    const admin = base64({ ...(JSON.parse(Buffer.from(body, 'base64url').toString()) as object), sub: 'admin' });
    const cases: readonly (readonly [string, string, RegExp])[] = [
      [
        'another issuer',
        await token({ claims: { iss: 'https://evil.example' } }),
        /issuer of the token is not trusted/,
      ],
      ['no issuer', await token({ claims: { iss: undefined } }), /no issuer/],
      ['another audience', await token({ resource: 'https://other.example/mcp' }), /another resource/],
      ['no audience', await token({ claims: { aud: undefined } }), /another resource/],
      ['an audience with a longer path', await token({ resource: `${resource()}x` }), /another resource/],
      ['expired', await token({ claims: { exp: now - 60 } }), /has expired/],
      ['no expiry', await token({ claims: { exp: undefined } }), /never expires/],
      ['not valid yet', await token({ claims: { nbf: now + 120 } }), /not valid yet/],
      ['issued in the future', await token({ claims: { iat: now + 120 } }), /not valid yet/],
      ['no subject', await token({ claims: { sub: undefined } }), /has no valid subject/],
      ['a subject that is too long', await token({ claims: { sub: 'x'.repeat(300) } }), /has no valid subject/],
      ['bound to a key of its holder', await token({ claims: { cnf: { jkt: 'x' } } }), /bound to a key/],
      ['another type', await token({ header: { typ: 'logout+jwt' } }), /not an access token/],
      ['no kid', await token({ header: { kid: undefined } }), /no algorithm or key id/],
      ['unknown kid', await token({ header: { kid: 'second' } }), /a key that its issuer does not have/],
      ['signed with another key', await token({ key: stranger }), /signature/],
      [
        'alg none',
        resigned(valid, { alg: 'none', kid: 'first', typ: 'at+jwt' }, () => ''),
        /algorithm of the token is not accepted/,
      ],
      ['alg none with the signature', resigned(valid, { alg: 'none', kid: 'first' }, () => signature), /not accepted/],
      ['HS256 with the public key', resigned(valid, hs256, hmacWith(pem)), /algorithm of the token is not accepted/],
      ['HS256 with the JWK', resigned(valid, hs256, hmacWith(JSON.stringify(key.published))), /not accepted/],
      ['another algorithm', resigned(valid, { alg: 'RS256', kid: 'first' }, () => signature), /signature/],
      ['an unknown extension', await token({ header: { crit: ['x'], x: 1 } }), /signature/],
      ['tampered', `${head}.${admin}.${signature}`, /signature/],
      ['no signature', `${head}.${body}.`, /signature/],
      [
        'a header that is not JSON',
        `${Buffer.from('no').toString('base64url')}.${body}.${signature}`,
        /does not contain a token of this server/,
      ],
    ];
    for (const [defect, wrong, reason] of cases) {
      const { status, challenge, code, detail } = await call(wrong);
      assert.equal(status, 401, defect);
      assert.equal(code, defect === 'expired' ? 'token-expired' : 'token-wrong', defect);
      assert.match(detail ?? '', reason, defect);
      assert.match(challenge, /^Bearer realm="signalbox", error="invalid_token", resource_metadata="/, defect);
    }
    assert.equal((await call(valid)).status, 200, 'the valid token');
    const tolerated = await token({ claims: { exp: now - 5, nbf: now + 5, iat: now + 5 } });
    assert.equal((await call(tolerated)).status, 200, 'within the clock tolerance');
  });

  it('is valid only for the configured algorithms and audiences', async (t) => {
    const issuer = { algorithms: ['RS256' as const], audience: ['api://signalbox', 'b'] };
    const trusting = await startTrusting(t, { issuer });
    const rsa = await createSigningKey('rsa', 'RS256');
    trusting.issuer.keys = [rsa, await createSigningKey('ec')];
    const ec = trusting.issuer.keys[1] ?? assert.fail();
    assert.equal((await trusting.call(await trusting.token({ resource: 'api://signalbox', key: rsa }))).status, 200);
    assert.equal((await trusting.call(await trusting.token({ claims: { aud: ['a', 'b'] }, key: rsa }))).status, 200);
    assert.equal((await trusting.call(await trusting.token({ resource: 'api://signalbox', key: ec }))).status, 401);
    assert.equal((await trusting.call(await trusting.token({ key: rsa }))).status, 401);
  });

  it('requires a scope, which the 403 response names; no scope grants more than the role agent', async (t) => {
    const { token, call, box } = await startTrusting(t);
    for (const claims of [{ scope: undefined }, { scope: 'openid admin signalbox:admin' }, { scope: ['x'] }]) {
      const { status, code, challenge } = await call(await token({ claims }));
      assert.deepEqual([status, code], [403, 'scope-missing']);
      assert.match(challenge, /error="insufficient_scope", scope="signalbox:agent", resource_metadata="/);
    }
    for (const claims of [{ scope: 'openid signalbox:agent' }, { scope: undefined, scp: ['signalbox:agent'] }])
      assert.equal((await call(await token({ claims }))).status, 200);
    const { items } = await box.journal.calls({});
    assert.ok(items.length > 0 && items.every(({ principal }) => principal.kind === 'agent'));
  });

  it('is valid only for the profiles in its scopes', async (t) => {
    const { token, call, resource } = await startTrusting(t);
    const scope = 'signalbox:profile:coding';
    const bound = await token({ claims: { scope } });
    assert.deepEqual(
      [(await call(bound)).status, (await call(bound, 'coding')).status, (await call(bound, 'other')).status],
      [200, 200, 403],
    );
    const there = await token({ resource: resource('coding'), claims: { scope } });
    assert.equal((await call(there, 'coding')).status, 200);
    assert.match((await call(there)).detail ?? '', /another resource/);
    assert.match((await call(there, 'other')).detail ?? '', /another resource/);
    const two = await token({ claims: { scope: `${scope} signalbox:profile:other` } });
    assert.deepEqual(
      [(await call(two)).status, (await call(two, 'coding')).status, (await call(two, 'other')).status],
      [403, 200, 200],
    );
    assert.equal((await call(await token(), 'coding')).status, 200);
    assert.equal((await call(await token(), 'trusting')).status, 403, 'trust must be granted to the token');
    assert.equal(
      (await call(await token({ claims: { scope: 'signalbox:profile:trusting' } }), 'trusting')).status,
      200,
    );
  });

  it('is checked only for the configured scopes, in the configured claim', async (t) => {
    const scopes = { 'box.use': {}, 'box.code': { profile: 'coding' } };
    const { token, call } = await startTrusting(t, { issuer: { scopes, claim: 'permissions' } });
    const having = async (...permissions: string[]): Promise<string> =>
      await token({ claims: { scope: 'signalbox:agent box.use', permissions } });
    assert.equal((await call(await having('box.use'))).status, 200);
    assert.equal((await call(await having('box.code'), 'coding')).status, 200);
    assert.equal((await call(await having('box.code'), 'other')).status, 403);
    const missing = await call(await having('signalbox:agent', 'constructor', '__proto__'));
    assert.equal(missing.status, 403);
    assert.match(missing.challenge, /scope="box.use"/);
  });

  it('maps to one principal for each issuer and subject', async (t) => {
    const { token, call, box, issuer } = await startTrusting(t);
    for (const sub of ['alice', 'alice/x', 'alice:x', 'a%2Fb']) await call(await token({ claims: { sub } }));
    const { items } = await box.journal.calls({});
    const ids = items.map(({ principal }) => principal.id).toReversed();
    const by = encodeURIComponent(issuer.issuer);
    assert.deepEqual(ids, [
      `oauth:${by}:alice`,
      `oauth:${by}:alice%2Fx`,
      `oauth:${by}:alice%3Ax`,
      `oauth:${by}:a%252Fb`,
    ]);
  });

  it('starts sessions that belong to its subject, and that a renewed token can continue', async (t) => {
    const { token, url } = await startTrusting(t);
    const as = async (sub: string, jti: string): Promise<Record<string, string>> => ({
      Authorization: `Bearer ${await token({ claims: { sub, jti } })}`,
    });
    const session = await begin(url, {}, await as('alice', '1'));
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    assert.equal((await send(url, list, { ...session, ...(await as('alice', '2')) })).status, 200);
    assert.equal((await send(url, list, { ...session, ...(await as('bob', '1')) })).status, 404);
    assert.equal((await send(url, list, { ...session, Authorization: `Bearer ${adminToken}` })).status, 404);
  });

  it('never appears in the journal, logs or responses', async (t) => {
    const { token, call, box, logged, url } = await startTrusting(t);
    const valid = await token();
    const wrong = await token({ claims: { aud: 'x' } });
    const responses = [await call(valid), await call(wrong), await call(`${valid.slice(0, -2)}AA`)];
    const args = { name: 'mcp__signalbox__ping', arguments: { text: valid } };
    const headers = { Authorization: `Bearer ${valid}` };
    await messageOf(sendModern(url, 'tools/call', args, { headers }));
    const { items } = await box.journal.query({});
    assert.ok(items.length > 0);
    const output = JSON.stringify([items, responses, logged]);
    for (const each of [valid, wrong]) for (const part of each.split('.')) assert.ok(!output.includes(part));
  });
});

describe('keys of an authorization server', () => {
  it('are read once for many requests and tokens', async (t) => {
    const { issuer, token, call } = await startTrusting(t);
    const one = await token();
    await Promise.all(Array.from({ length: 10 }, () => call(one)));
    for (const sub of ['a', 'b', 'c']) assert.equal((await call(await token({ claims: { sub } }))).status, 200);
    assert.equal(issuer.keyRequests, 1);
  });

  it('accept a verified token until it expires', async (t) => {
    const { token, call } = await startTrusting(t);
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const expiring = await token({ claims: { exp: Math.floor(Date.now() / 1000) + 60 } });
    assert.equal((await call(expiring)).status, 200);
    t.mock.timers.tick(89_000);
    assert.equal((await call(expiring)).status, 200, 'within the clock tolerance');
    t.mock.timers.tick(2000);
    assert.equal((await call(expiring)).code, 'token-expired');
  });

  it('are updated without a restart; tokens of withdrawn keys become invalid', async (t) => {
    const { issuer, token, call } = await startTrusting(t, { times: { coolDownMs: 0 } });
    const before = await token();
    assert.equal((await call(before)).status, 200);
    const [old] = issuer.keys;
    issuer.keys = [await createSigningKey('second', 'RS256'), ...(old === undefined ? [] : [old])];
    assert.equal((await call(await token())).status, 200);
    assert.equal((await call(before)).status, 200, 'both keys are published');
    issuer.keys = [await createSigningKey('third')];
    assert.equal((await call(await token())).status, 200);
    assert.equal((await call(before)).status, 401, 'its key was withdrawn');
  });

  it('are replaced by a new key with the same id', async (t) => {
    const { issuer, token, call } = await startTrusting(t, { times: { freshMs: 0, coolDownMs: 0 } });
    const before = await token();
    assert.equal((await call(before)).status, 200);
    issuer.keys = [await createSigningKey('first')];
    // The first request starts a background refresh of the keys.
    while ((await call(before)).status === 200) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal((await call(await token())).status, 200);
  });

  it('are not fetched for every token with an unknown key', async (t) => {
    const { issuer, token, call } = await startTrusting(t);
    assert.equal((await call(await token())).status, 200);
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, at) => (await call(await token({ header: { kid: `k${at}` } }))).status),
    );
    assert.deepEqual(new Set(statuses), new Set([401]));
    assert.equal(issuer.keyRequests, 1);
    assert.equal((await call(await token())).status, 200, 'valid tokens are still accepted');
  });

  it('stay valid while the issuer is unreachable; before the first read, the response is 503', async (t) => {
    const times = { freshMs: 0, coolDownMs: 0 };
    const { issuer, token, call, logged } = await startTrusting(t, { times });
    issuer.state = 'failing';
    const first = await call(await token());
    assert.deepEqual([first.status, first.code], [503, 'issuer-unreachable']);
    await call(await token());
    assert.equal(logged.length, 1, 'logged once');
    issuer.state = 'up';
    assert.equal((await call(await token())).status, 200);
    issuer.state = 'failing';
    for (const sub of ['a', 'b']) assert.equal((await call(await token({ claims: { sub } }))).status, 200);
    const unknown = await call(await token({ header: { kid: 'new' } }));
    assert.equal(unknown.status, 503, 'the issuer may have the key');
  });

  it('expire when the issuer stays unreachable', async (t) => {
    const { issuer, token, call } = await startTrusting(t, { times: { freshMs: 0, coolDownMs: 0, maxStaleMs: 50 } });
    const valid = await token();
    assert.equal((await call(valid)).status, 200);
    issuer.state = 'failing';
    while ((await call(valid)).status === 200) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal((await call(valid)).status, 503);
  });

  it('are fetched only from the issuer; foreign metadata and internal addresses are refused', async (t) => {
    const { issuer, token, call, logged } = await startTrusting(t, { times: { coolDownMs: 0 } });
    const valid = await token();
    for (const metadata of [
      { issuer: 'https://evil.example', jwks_uri: `${issuer.issuer}/keys` },
      { jwks_uri: 'http://169.254.169.254/keys' },
      { jwks_uri: 'http://[::1]:1/keys' },
      { jwks_uri: 'file:///etc/passwd' },
      { jwks_uri: undefined },
    ]) {
      issuer.provider.behavior.metadata = metadata;
      assert.equal((await call(valid)).status, 503, JSON.stringify(metadata));
    }
    assert.equal(issuer.keyRequests, 0);
    assert.equal(logged.length, 1);
  });

  it('that are symmetric, for encryption or for another algorithm verify no token', async (t) => {
    const { issuer, token, call } = await startTrusting(t, { times: { coolDownMs: 0 } });
    const valid = await token();
    const [key = assert.fail()] = issuer.keys;
    const as = (published: object): SigningKey => ({ ...key, published: { ...published, kid: 'first' } });
    for (const published of [
      { kty: 'oct', k: 'c2VjcmV0' },
      { ...key.published, use: 'enc' },
      { ...key.published, alg: 'ES384' },
      { ...key.published, key_ops: ['encrypt'] },
    ]) {
      issuer.keys = [as(published)];
      assert.equal((await call(valid)).status, 401, JSON.stringify(published));
      issuer.keys = [];
      await call(await token({ key, header: { kid: 'unknown' } }));
    }
    issuer.keys = [key];
    assert.equal((await call(valid)).status, 200);
  });
});

describe('token that only resembles a JWT', () => {
  it('counts as a wrong token of this server, so that guessing is rate-limited', async (t) => {
    const { call } = await startTrusting(t);
    const statuses: number[] = [];
    for (let count = 0; count < 25; count += 1) statuses.push((await call(`guess.${count}.x`)).status);
    assert.deepEqual(statuses.slice(-3), [429, 429, 429]);
  });
});

describe('trusted issuers', () => {
  it('take effect at once: tokens of a removed issuer are refused, and their open requests end', async (t) => {
    const { token, call, trust, url } = await startTrusting(t);
    const valid = await token();
    const headers = { Authorization: `Bearer ${valid}` };
    const session = await begin(url, {}, headers);
    const stream = await fetch(url, { headers: { ...session, Accept: 'text/event-stream' } });
    assert.equal(stream.status, 200);
    trust.settings = { issuers: [{ issuer: 'https://other.example' }] };
    assert.equal((await call(valid)).status, 401);
    await assert.rejects(stream.text());
  });

  it('can be empty: JWTs are then wrong tokens, and no metadata is published', async (t) => {
    const { token, call, trust, url } = await startTrusting(t);
    trust.settings = undefined;
    const { status, challenge } = await call(await token());
    assert.deepEqual([status, challenge], [401, 'Bearer realm="signalbox", error="invalid_token"']);
    assert.equal((await fetch(new URL('/.well-known/oauth-protected-resource', url))).status, 401);
  });
});

describe('protected resource metadata', () => {
  it('is served at the well-known paths that challenges name', async (t) => {
    const { issuer, url, resource } = await startTrusting(t);
    const read = async (path: string): Promise<unknown> => {
      const response = await fetch(new URL(`/.well-known/oauth-protected-resource${path}`, url));
      assert.equal(response.status, 200);
      return await response.json();
    };
    const expected = (profile: string | undefined, scope: string): object => ({
      resource: resource(profile),
      authorization_servers: [issuer.issuer],
      scopes_supported: [scope],
      bearer_methods_supported: ['header'],
      resource_name: 'Signalbox',
    });
    assert.deepEqual(await read(''), expected(undefined, 'signalbox:agent'));
    assert.deepEqual(await read('/mcp'), expected(undefined, 'signalbox:agent'));
    assert.deepEqual(await read('/mcp/coding'), expected('coding', 'signalbox:profile:coding'));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { _meta: envelope() } });
    const refused = await fetch(resource('coding'), { method: 'POST', body });
    assert.equal(refused.status, 401);
    assert.equal(
      refused.headers.get('www-authenticate'),
      `Bearer realm="signalbox", resource_metadata="${url.origin}/.well-known/oauth-protected-resource/mcp/coding", scope="signalbox:profile:coding"`,
    );
    const escaped = await fetch(new URL('/mcp/a%22%0d%0ab', url), { method: 'POST', body });
    assert.doesNotMatch(escaped.headers.get('www-authenticate') ?? '', /a"|[\r\n]/);
    assert.equal((await fetch(new URL('/.well-known/oauth-protected-resource', url), { method: 'POST' })).status, 405);
  });

  it('is served only for allowed hosts', async (t) => {
    const { url, token, call } = await startTrusting(t);
    const server = { port: Number(url.port) } as RunningServer;
    for (const path of ['/mcp', '/.well-known/oauth-protected-resource'])
      for (const host of ['evil.example', 'a b', '"', '[', '%'])
        assert.equal((await sendRawRequest(server, path, { headers: { host } })).status, 421, `${path} ${host}`);
    assert.equal((await call(await token())).status, 200);
  });

  it('names the public URL, which is then the accepted audience', async (t) => {
    const { trust, token, call, url, issuer } = await startTrusting(t);
    trust.settings = { url: 'https://box.example', issuers: [{ issuer: issuer.issuer }] };
    const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url));
    assert.equal(((await metadata.json()) as { resource: string }).resource, 'https://box.example/mcp');
    assert.equal((await call(await token({ resource: 'https://box.example/mcp' }))).status, 200);
    assert.equal((await call(await token())).status, 401);
  });
});
