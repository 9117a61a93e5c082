import { createHash, randomUUID } from 'node:crypto';
import { type CryptoKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { serve } from './serve.ts';

/** A registered client. */
interface KnownClient {
  readonly secret?: string;
  /** Verifies its assertions, if it has no secret. */
  readonly publicKey?: CryptoKey;
  readonly redirectUris: readonly string[];
}

/** The grant behind a token. */
export interface Grant {
  readonly client: string;
  readonly resource: string;
  readonly scope: string;
  /** The sign-in that all its tokens belong to. */
  readonly family: string;
}

interface Code extends Grant {
  readonly challenge: string;
  readonly redirectUri: string;
}

/** The behavior and the faults of the provider. They can be changed while it runs. */
interface ProviderBehavior {
  /** Lifetime of access tokens in seconds. */
  expiresIn: number;
  /** The parameters of the redirect to the client. */
  state: (given: string) => string;
  iss: string | undefined;
  error: string | undefined;
  /** Duration of a token request. */
  tokenDelayMs: number;
  /** Replaces members of the metadata. */
  metadata: Record<string, unknown>;
  /** Creates the access tokens. */
  accessToken: (grant: Grant) => string | Promise<string>;
  /** Verifies the tokens of a platform, with which workloads sign in. */
  platformKey: CryptoKey | undefined;
  /** Whether every refresh token is refused. */
  refusesRefresh: boolean;
}

/** A request to an endpoint. */
interface EndpointRequest {
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly authorization: string | null;
}

const metadataPath = '/.well-known/oauth-authorization-server';

/** A real OAuth 2.1 authorization server on a real socket, with all checks of the specification. */
export class IdentityProvider {
  readonly issuer: string;
  readonly behavior: ProviderBehavior;
  readonly requests: EndpointRequest[] = [];
  readonly clients = new Map<string, KnownClient>();
  readonly accessTokens = new Map<string, Grant & { readonly expiresAt: number }>();
  readonly refreshTokens = new Map<string, Grant & { isUsed: boolean }>();
  readonly #codes = new Map<string, Code>();

  constructor(issuer: string) {
    this.issuer = issuer;
    this.behavior = {
      expiresIn: 3600,
      state: (given) => given,
      iss: issuer,
      error: undefined,
      tokenDelayMs: 0,
      metadata: {},
      accessToken: () => `access-${randomUUID()}`,
      platformKey: undefined,
      refusesRefresh: false,
    };
  }

  /** Returns the number of token requests with this grant type. */
  count(grant: string): number {
    return this.requests.filter(({ fields }) => fields['grant_type'] === grant).length;
  }

  /** Expires all access tokens. */
  expireAccessTokens(): void {
    this.accessTokens.clear();
  }

  async answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const path = url.pathname;
    if (path === metadataPath) return Response.json({ ...this.#metadata(), ...this.behavior.metadata });
    if (path === '/authorize') return this.#authorize(Object.fromEntries(url.searchParams));
    if (path === '/register') return this.#register((await request.json()) as { redirect_uris: string[] });
    if (request.method !== 'POST' || !['/token', '/revoke'].includes(path)) return new Response('', { status: 404 });
    const fields = Object.fromEntries(new URLSearchParams(await request.text()));
    const authorization = request.headers.get('authorization');
    this.requests.push({ path, fields, authorization });
    const client = (await this.#clientByAssertion(fields)) ?? this.#clientOf(fields, authorization);
    if (client === undefined) return refused('invalid_client', 401);
    if (path === '/revoke') return this.#revoke(fields['token'] ?? '');
    const { tokenDelayMs } = this.behavior;
    if (tokenDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, tokenDelayMs));
    return await this.#token(client, fields);
  }

  #metadata(): object {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      registration_endpoint: `${this.issuer}/register`,
      revocation_endpoint: `${this.issuer}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    };
  }

  #register({ redirect_uris }: { redirect_uris: string[] }): Response {
    const client_id = `client-${randomUUID()}`;
    this.clients.set(client_id, { redirectUris: redirect_uris });
    return Response.json({ client_id, redirect_uris, token_endpoint_auth_method: 'none' }, { status: 201 });
  }

  #authorize(fields: Record<string, string>): Response {
    this.requests.push({ path: '/authorize', fields, authorization: null });
    const { client_id = '', redirect_uri = '', code_challenge = '', resource = '', scope = '', state = '' } = fields;
    const isKnown = this.clients.get(client_id)?.redirectUris.includes(redirect_uri) === true;
    if (!isKnown || fields['response_type'] !== 'code' || fields['code_challenge_method'] !== 'S256' || resource === '')
      return new Response('a bad request', { status: 400 });
    const { iss, error } = this.behavior;
    const redirect = new URL(redirect_uri);
    if (error === undefined) {
      const code = randomUUID();
      const family = randomUUID();
      const redirectUri = redirect_uri;
      this.#codes.set(code, { client: client_id, resource, scope, family, challenge: code_challenge, redirectUri });
      redirect.searchParams.set('code', code);
    } else redirect.searchParams.set('error', error);
    redirect.searchParams.set('state', this.behavior.state(state));
    if (iss !== undefined) redirect.searchParams.set('iss', iss);
    return new Response(null, { status: 302, headers: { location: redirect.href } });
  }

  #clientOf(fields: Record<string, string>, authorization: string | null): string | undefined {
    const [, basic] = /^Basic (.+)$/.exec(authorization ?? '') ?? [];
    const [id = '', secret] =
      basic === undefined
        ? [fields['client_id'], fields['client_secret']]
        : Buffer.from(basic, 'base64').toString().split(':').map(formDecoded);
    const known = this.clients.get(id);
    return known !== undefined && known.secret === secret && known.publicKey === undefined ? id : undefined;
  }

  async #clientByAssertion({
    client_id = '',
    client_assertion = '',
  }: Record<string, string>): Promise<string | undefined> {
    const key = this.clients.get(client_id)?.publicKey;
    const expected = { issuer: client_id, subject: client_id, audience: this.issuer, requiredClaims: ['jti', 'exp'] };
    return key !== undefined && (await isSignedBy(key, client_assertion, expected)) ? client_id : undefined;
  }

  async #token(client: string, fields: Record<string, string>): Promise<Response> {
    switch (fields['grant_type'] ?? '') {
      case 'authorization_code': {
        const { code = '', code_verifier = '', redirect_uri, resource } = fields;
        const given = this.#codes.get(code);
        this.#codes.delete(code);
        const challenge = createHash('sha256').update(code_verifier).digest('base64url');
        const isValid =
          given?.client === client &&
          given.challenge === challenge &&
          given.redirectUri === redirect_uri &&
          given.resource === resource;
        return isValid ? await this.#issue(given) : refused('invalid_grant');
      }
      case 'refresh_token': {
        if (this.behavior.refusesRefresh) return refused('invalid_grant');
        const given = this.refreshTokens.get(fields['refresh_token'] ?? '');
        if (given?.isUsed === true) this.#endFamily(given.family);
        const isValid = given?.isUsed === false && given.client === client && given.resource === fields['resource'];
        if (!isValid) return refused('invalid_grant');
        given.isUsed = true;
        return await this.#issue(given);
      }
      case 'client_credentials': {
        const { resource = '', scope = '' } = fields;
        const known = this.clients.get(client);
        if (known?.secret === undefined && known?.publicKey === undefined) return refused('unauthorized_client');
        return await this.#issue({ client, resource, scope, family: randomUUID() }, false);
      }
      case 'urn:ietf:params:oauth:grant-type:jwt-bearer': {
        const { resource = '', scope = '', assertion = '' } = fields;
        const { platformKey } = this.behavior;
        const isValid =
          platformKey !== undefined && (await isSignedBy(platformKey, assertion, { audience: this.issuer }));
        return isValid
          ? await this.#issue({ client, resource, scope, family: randomUUID() }, false)
          : refused('invalid_grant');
      }
      default:
        return refused('unsupported_grant_type');
    }
  }

  async #issue({ client, resource, scope, family }: Grant, withRefresh = true): Promise<Response> {
    const grant = { client, resource, scope, family };
    const { expiresIn } = this.behavior;
    const access_token = await this.behavior.accessToken(grant);
    this.accessTokens.set(access_token, { ...grant, expiresAt: Date.now() + expiresIn * 1000 });
    const refresh_token = `refresh-${randomUUID()}`;
    if (withRefresh) this.refreshTokens.set(refresh_token, { ...grant, isUsed: false });
    return Response.json({
      access_token,
      token_type: 'Bearer',
      expires_in: expiresIn,
      scope,
      ...(withRefresh ? { refresh_token } : {}),
    });
  }

  /** Ends a sign-in with all its tokens, because a refresh token that is used twice was stolen. */
  #endFamily(family: string): void {
    for (const [token, grant] of this.accessTokens) if (grant.family === family) this.accessTokens.delete(token);
    for (const grant of this.refreshTokens.values()) if (grant.family === family) grant.isUsed = true;
  }

  #revoke(token: string): Response {
    const grant = this.refreshTokens.get(token) ?? this.accessTokens.get(token);
    if (grant !== undefined) this.#endFamily(grant.family);
    return new Response('');
  }
}

/** Starts a provider. `answerFirst` may answer requests before it. */
export async function identityProvider(
  answerFirst: (request: Request) => Response | undefined = () => undefined,
): Promise<{ provider: IdentityProvider; close: () => Promise<void> }> {
  const { origin, close } = await serve((request) => answerFirst(request) ?? provider.answer(request));
  const provider = new IdentityProvider(origin);
  return { provider, close };
}

function isSignedBy(key: CryptoKey, token: string, expected: JWTVerifyOptions): Promise<boolean> {
  return jwtVerify(token, key, expected).then(
    () => true,
    () => false,
  );
}

function refused(error: string, status = 400): Response {
  return Response.json({ error, error_description: `it was ${error}` }, { status });
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}
