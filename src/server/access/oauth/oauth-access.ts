import { normalizeName } from '../../../core/text/normalize-name.ts';
import { isDeepStrictEqual } from 'node:util';
import type { IssuerSettings, OAuthSettings } from '../../../config/schema/oauth-schema.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { Problem } from '../../problems/problem.ts';
import { refusedToken, tokenChallenge } from '../tokens/token-challenge.ts';
import { evictOldest } from '../evict-oldest.ts';
import type { Identity } from '../identity.ts';
import { hashSecret } from '../random-secrets.ts';
import { IssuerKeys, type KeyCacheTimes } from './issuer-keys.ts';
import { type VerifiedJwt, expiredToken, parseJwt, verifyJwt } from './verify-jwt.ts';

type FetchJwks = (typeof import('./fetch-jwks.ts'))['fetchJwks'];

/** The URL of the endpoint as the client uses it, which is the audience of tokens. */
export interface Resource {
  readonly origin: string;
  readonly profile: string | undefined;
}

/** Options of `OAuthAccess`. */
interface OAuthAccessOptions {
  /** Returns the current settings. */
  readonly settings: () => OAuthSettings | undefined;
  readonly log: (line: string) => void;
  readonly times?: Partial<KeyCacheTimes> | undefined;
}

/** The access that the scopes of a token grant. */
interface ScopeGrant {
  readonly isUnrestricted: boolean;
  readonly profiles: ReadonlySet<string>;
}

interface TrustedIssuer {
  readonly settings: IssuerSettings;
  readonly keys: IssuerKeys;
}

interface CachedToken {
  readonly token: Omit<VerifiedJwt, 'scopes'>;
  readonly granted: ScopeGrant;
  readonly issuer: TrustedIssuer;
  /** The version of the issuer's keys at verification. The token is verified again when it changes. */
  readonly keysVersion: string;
}

/** Grants access to the whole endpoint, as an agent. */
const endpointScope = 'signalbox:agent';
const profileScopePrefix = 'signalbox:profile:';
const maxCachedTokens = 10_000;
/** A request that started with a valid token may continue after the token expires. */
const graceMs = 10 * 60_000;
const metadataPath = '/.well-known/oauth-protected-resource';

/** Identifies callers by the tokens that trusted authorization servers issue for the MCP endpoint. */
export class OAuthAccess {
  readonly #options: OAuthAccessOptions;
  #settings: OAuthSettings | undefined;
  #issuers: ReadonlyMap<string, TrustedIssuer> = new Map();
  readonly #cache = new Map<string, CachedToken>();

  constructor(options: OAuthAccessOptions) {
    this.#options = options;
  }

  /** Whether any authorization server is trusted. */
  get isOn(): boolean {
    return this.#trusted().size > 0;
  }

  /** Returns the public origin of this server: the configured URL, or the requested host. */
  originFor(host: string): string {
    return this.#options.settings()?.url ?? `http://${host}`;
  }

  /** Verifies a token and returns its identity. The problems that it throws never quote the token. */
  async identify(presented: string, resource: Resource): Promise<Identity> {
    const hash = hashSecret(presented);
    const { token, granted, issuer } = this.#cached(hash) ?? (await this.#verify(presented, hash));
    const now = Date.now();
    if (now >= token.until) throw expiredToken();
    if (now < token.from) throw refusedToken('token-wrong', 'the token is not valid yet (nbf)');
    if (!audiencesOf(issuer.settings, resource).some((each) => token.audiences.includes(each)))
      throw refusedToken('token-wrong', `the token is for another resource (aud); this one is ${urlOf(resource)}`);
    const profile = profileOf(granted, issuer.settings, resource);
    return {
      principal: {
        id: principalOf(issuer.settings.issuer, token.subject),
        kind: 'agent',
        name: normalizeName(token.subject) || token.subject,
      },
      role: 'agent',
      ...(profile === undefined ? {} : { profile }),
      token: `oauth:${hash}`,
      isStillValid: () =>
        this.#trusted().get(issuer.settings.issuer) === issuer &&
        issuer.keys.has(token.key) &&
        Date.now() < token.until + graceMs,
    };
  }

  /** Returns the protected resource metadata, RFC 9728. */
  metadata(resource: Resource): JsonObject {
    return {
      resource: urlOf(resource),
      authorization_servers: [...this.#trusted().keys()],
      scopes_supported: this.#scopesFor(resource),
      bearer_methods_supported: ['header'],
      resource_name: 'Signalbox',
    };
  }

  /** Returns the parameters of a challenge that lead clients to the authorization server. */
  challengeParameters(resource: Resource): Readonly<Record<string, string>> {
    const { origin, pathname } = new URL(urlOf(resource));
    return {
      resource_metadata: `${origin}${metadataPath}${pathname}`,
      scope: this.#scopesFor(resource).join(' '),
    };
  }

  #scopesFor({ profile }: Resource): string[] {
    return [...new Set([...this.#trusted().values()].flatMap(({ settings }) => scopesFor(profile, settings)))];
  }

  #trusted(): ReadonlyMap<string, TrustedIssuer> {
    const settings = this.#options.settings();
    if (settings === this.#settings) return this.#issuers;
    const isUnchanged = isDeepStrictEqual(settings, this.#settings);
    this.#settings = settings;
    if (isUnchanged) return this.#issuers;
    const { log, times } = this.#options;
    this.#cache.clear();
    return (this.#issuers = new Map(
      (settings?.issuers ?? []).map((each) => {
        // Imported on demand: loading TLS is slow.
        const read = async (): ReturnType<FetchJwks> =>
          await (await import('./fetch-jwks.ts')).fetchJwks(each.issuer, each.jwksUrl);
        const keys = new IssuerKeys(read, log, times);
        return [each.issuer, { settings: each, keys }];
      }),
    ));
  }

  #cached(hash: string): CachedToken | undefined {
    this.#trusted();
    const cached = this.#cache.get(hash);
    if (cached === undefined || cached.keysVersion === cached.issuer.keys.version) return cached;
    this.#cache.delete(hash);
    return undefined;
  }

  async #verify(presented: string, hash: string): Promise<CachedToken> {
    const parsed = parseJwt(presented);
    const issuer = this.#trusted().get(parsed.issuer);
    if (issuer === undefined) throw refusedToken('token-wrong', 'the issuer of the token is not trusted here (iss)');
    const { scopes, ...token } = await verifyJwt(parsed, issuer.settings, issuer.keys);
    const granted = grantFromScopes(scopes, issuer.settings);
    const cached = { token, granted, issuer, keysVersion: issuer.keys.version };
    // The configuration may have changed during the verification.
    if (this.#trusted().get(parsed.issuer) === issuer) {
      evictOldest(this.#cache, maxCachedTokens);
      this.#cache.set(hash, cached);
    }
    return cached;
  }
}

/** Matches the metadata paths of the server, the endpoint and its profiles. */
export const metadataPathPattern = /^\/\.well-known\/oauth-protected-resource(?:\/mcp(?:\/([^/?]+))?)?\/?(?:\?|$)/;

function urlOf({ origin, profile }: Resource): string {
  return `${origin}/mcp${profile === undefined ? '' : `/${encodeURIComponent(profile)}`}`;
}

/** Returns the accepted audiences. A token for the endpoint is also valid for its profiles; a token for a profile only there. */
function audiencesOf({ audience }: IssuerSettings, resource: Resource): readonly string[] {
  if (audience !== undefined) return typeof audience === 'string' ? [audience] : audience;
  return [urlOf(resource), urlOf({ ...resource, profile: undefined })];
}

/** Returns the profile that the token is bound to at this resource; `undefined` when it may use all tools. */
function profileOf(
  { isUnrestricted, profiles }: ScopeGrant,
  settings: IssuerSettings,
  { profile }: Resource,
): string | undefined {
  if (profile === undefined) {
    const [only] = profiles;
    if (isUnrestricted) return undefined;
    if (profiles.size === 1) return only;
  } else {
    if (profiles.has(profile)) return profile;
    if (isUnrestricted) return undefined;
  }
  const scope = scopesFor(profile, settings).join(' ');
  throw new Problem('scope-missing', `the token lacks the scope for this address: ${scope}`, {
    headers: { 'WWW-Authenticate': tokenChallenge({ error: 'insufficient_scope', scope }) },
  });
}

/** Returns a principal id that is unique for issuer and subject. Encoding keeps separators in a subject from forging another id. */
function principalOf(issuer: string, subject: string): string {
  return `oauth:${encodeURIComponent(issuer.replace(/^https:\/\//, ''))}:${encodeURIComponent(subject)}`;
}

/** Returns the access that scopes grant. No scope grants more than the role `agent`. */
function grantFromScopes(scopes: readonly string[], { scopes: configured }: IssuerSettings): ScopeGrant {
  const profiles = new Set<string>();
  let isUnrestricted = false;
  for (const scope of scopes) {
    const grant = configured === undefined ? defaultGrant(scope) : configured[scope];
    if (grant === undefined || (configured !== undefined && !Object.hasOwn(configured, scope))) continue;
    if (grant.profile === undefined) isUnrestricted = true;
    else profiles.add(grant.profile);
  }
  return { isUnrestricted, profiles };
}

/** Returns the scopes that a client requests for a profile, or for the whole endpoint. */
function scopesFor(profile: string | undefined, { scopes: configured }: IssuerSettings): string[] {
  if (configured === undefined)
    return [profile === undefined ? endpointScope : profileScopePrefix + encodeURIComponent(profile)];
  const scopesWith = (wanted: string | undefined): string[] =>
    Object.entries(configured).flatMap(([scope, grant]) => (grant.profile === wanted ? scope : []));
  const own = scopesWith(profile);
  return own.length > 0 ? own : scopesWith(undefined);
}

function defaultGrant(scope: string): { readonly profile?: string } | undefined {
  if (scope === endpointScope) return {};
  return scope.startsWith(profileScopePrefix) ? { profile: scope.slice(profileScopePrefix.length) } : undefined;
}
