import type { TestContext } from 'node:test';
import { type CryptoKey, type JWK, SignJWT, exportJWK, generateKeyPair } from 'jose';
import { type IdentityProvider, identityProvider } from '../../mcp-servers/identity-provider.ts';

/** A key of an authorization server. */
export interface SigningKey {
  readonly id: string;
  readonly algorithm: string;
  readonly privateKey: CryptoKey;
  readonly published: JWK;
}

/** The deviations of a token from a valid one. */
export interface TokenOverrides {
  readonly claims?: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
  readonly key?: SigningKey;
}

/** A real authorization server on a real socket, which signs its tokens. Its properties can be changed while it runs. */
export interface AuthorizationServer {
  readonly issuer: string;
  readonly provider: IdentityProvider;
  /** The published keys. */
  keys: SigningKey[];
  state: 'up' | 'failing';
  /** The number of requests for its keys. */
  keyRequests: number;
  /** Issues a token for a resource. */
  token(resource: string, overrides?: TokenOverrides): Promise<string>;
  close(): Promise<void>;
}

/** Generates a signing key. */
export async function createSigningKey(id: string, algorithm = 'ES256'): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return { id, algorithm, privateKey, published: { ...(await exportJWK(publicKey)), kid: id, use: 'sig' } };
}

/** Starts an authorization server, closed with the test. Its metadata is at the well-known URL of OAuth, or of OpenID Connect. */
export async function startAuthorizationServer(t: TestContext, openId = false): Promise<AuthorizationServer> {
  const { provider, close } = await identityProvider((request) => {
    const { pathname } = new URL(request.url);
    if (server.state === 'failing') return new Response('', { status: 503 });
    if (pathname === '/keys') {
      server.keyRequests += 1;
      return Response.json({ keys: server.keys.map(({ published }) => published) });
    }
    if (!openId || !pathname.startsWith('/.well-known/')) return undefined;
    if (pathname !== '/.well-known/openid-configuration') return new Response('', { status: 404 });
    return Response.json({ issuer: provider.issuer, jwks_uri: `${provider.issuer}/keys` });
  });
  const { issuer } = provider;
  const server: AuthorizationServer = {
    issuer,
    provider,
    keys: [await createSigningKey('first')],
    state: 'up',
    keyRequests: 0,
    async token(resource, { claims = {}, header = {}, key = server.keys[0] } = {}) {
      if (key === undefined) throw new Error('the authorization server has no key');
      const now = Math.floor(Date.now() / 1000);
      const defaults = { iss: issuer, aud: resource, sub: 'alice', iat: now, exp: now + 600, scope: 'signalbox:agent' };
      const claimSet = Object.entries({ ...defaults, ...claims }).filter(([, value]) => value !== undefined);
      return await new SignJWT(Object.fromEntries(claimSet))
        .setProtectedHeader({ alg: key.algorithm, kid: key.id, typ: 'at+jwt', ...header })
        .sign(key.privateKey, { crit: { x: true } });
    },
    close,
  };
  provider.behavior.metadata = { jwks_uri: `${issuer}/keys` };
  provider.behavior.accessToken = ({ resource, scope }) => server.token(resource, { claims: { scope } });
  t.after(close);
  return server;
}
