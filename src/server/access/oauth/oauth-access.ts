import { normalizeName } from '../../../core/text/normalize-name.ts';
import { isDeepStrictEqual } from 'node:util';
import type { IssuerSettings, OAuthSettings } from '../../../config/schema/oauth-schema.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { Problem } from '../../problems/problem.ts';
import { challenge } from '../challenge.ts';
import { dropOldest } from '../drop-oldest.ts';
import type { Identity } from '../identity.ts';
import { hashOf } from '../secret-ids.ts';
import { IssuerKeys, type KeyTimes } from './issuer-keys.ts';
import { type Granted, grantedBy, scopesFor } from './scopes.ts';
import { type VerifiedToken, readToken, verifyToken } from './verify-token.ts';

type FindKeys = (typeof import('./find-keys.ts'))['findKeys'];

/** The endpoint as a client names it: what tokens are issued for. */
export interface Resource {
  readonly origin: string;
  readonly profile: string | undefined;
}

/** What access by OAuth is made of. */
export interface OAuthAccessOptions {
  /** Whose tokens are taken now. */
  readonly settings: () => OAuthSettings | undefined;
  readonly log: (line: string) => void;
  readonly times?: Partial<KeyTimes> | undefined;
}

interface TrustedIssuer {
  readonly settings: IssuerSettings;
  readonly keys: IssuerKeys;
}

interface Remembered {
  readonly token: Omit<VerifiedToken, 'scopes'>;
  readonly granted: Granted;
  readonly issuer: TrustedIssuer;
  /** The keys when it was verified: with others it must be verified again. */
  readonly keys: string;
}

const mostRemembered = 10_000;
/** What was begun with a good token may end, though the token does meanwhile. */
const graceMs = 10 * 60_000;
const metadataPath = '/.well-known/oauth-protected-resource';

/** Recognises the holders of tokens that an authorization server issued for the MCP endpoint. */
export class OAuthAccess {
  readonly #options: OAuthAccessOptions;
  #settings: OAuthSettings | undefined;
  #issuers: ReadonlyMap<string, TrustedIssuer> = new Map();
  readonly #remembered = new Map<string, Remembered>();

  constructor(options: OAuthAccessOptions) {
    this.#options = options;
  }

  /** Whether anybody is trusted to issue tokens. */
  get isOn(): boolean {
    return this.#trusted().size > 0;
  }

  /** The origin that a client reaches this server by, if it came by this host. */
  originFor(host: string): string {
    return this.#options.settings()?.url ?? `http://${host}`;
  }

  /** Whose token it is. Throws the problem with it, which tells nothing of what stands in it. */
  async identify(presented: string, resource: Resource): Promise<Identity> {
    const hash = hashOf(presented);
    const { token, granted, issuer } = this.#recall(hash) ?? (await this.#verify(presented, hash));
    const now = Date.now();
    if (now >= token.until) throw expired();
    if (now < token.from) throw refused('token-wrong', 'the token is not good yet');
    if (!audiencesOf(issuer.settings, resource).some((each) => token.audiences.includes(each)))
      throw refused('token-wrong', `the token is for another resource (aud); this one is ${urlOf(resource)}`);
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
      isStillGood: () =>
        this.#trusted().get(issuer.settings.issuer) === issuer &&
        issuer.keys.has(token.key) &&
        Date.now() < token.until + graceMs,
    };
  }

  /** What clients read to find out where tokens come from, RFC 9728. */
  metadata(resource: Resource): JsonObject {
    return {
      resource: urlOf(resource),
      authorization_servers: [...this.#trusted().keys()],
      scopes_supported: this.#scopesFor(resource),
      bearer_methods_supported: ['header'],
      resource_name: 'Signalbox',
    };
  }

  /** What a refusal adds, so that clients find the way to a token. */
  direction(resource: Resource): Readonly<Record<string, string>> {
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
    const isTheSame = isDeepStrictEqual(settings, this.#settings);
    this.#settings = settings;
    if (isTheSame) return this.#issuers;
    const { log, times } = this.#options;
    this.#remembered.clear();
    return (this.#issuers = new Map(
      (settings?.issuers ?? []).map((each) => {
        // Loaded when keys are read: TLS takes longer than all that is around it.
        const read = async (): ReturnType<FindKeys> =>
          await (await import('./find-keys.ts')).findKeys(each.issuer, each.jwksUrl);
        const keys = new IssuerKeys(read, log, times);
        return [each.issuer, { settings: each, keys }];
      }),
    ));
  }

  #recall(hash: string): Remembered | undefined {
    this.#trusted();
    const remembered = this.#remembered.get(hash);
    if (remembered === undefined || remembered.keys === remembered.issuer.keys.version) return remembered;
    this.#remembered.delete(hash);
    return undefined;
  }

  async #verify(presented: string, hash: string): Promise<Remembered> {
    const read = readToken(presented);
    if (typeof read === 'string') throw refused('token-wrong', read);
    const issuer = this.#trusted().get(read.issuer);
    if (issuer === undefined) throw refused('token-wrong', 'the token is of an issuer that is not trusted here (iss)');
    const verification = await verifyToken(read, issuer.settings, issuer.keys);
    switch (verification.state) {
      case 'expired':
        throw expired();
      case 'refused':
        throw refused('token-wrong', verification.why);
      case 'unknown':
        throw new Problem('issuer-unreachable', `the keys of ${read.issuer} cannot be read now; try again`, {
          headers: { 'Retry-After': '5' },
        });
      case 'verified': {
        const { scopes, ...token } = verification.token;
        const granted = grantedBy(scopes, issuer.settings);
        const remembered = { token, granted, issuer, keys: issuer.keys.version };
        // What was configured meanwhile holds for what comes now.
        if (this.#trusted().get(read.issuer) === issuer) {
          dropOldest(this.#remembered, mostRemembered);
          this.#remembered.set(hash, remembered);
        }
        return remembered;
      }
    }
  }
}

/** Where the metadata of a resource stands, as a path: of the endpoint, of a profile of it, or of the whole server. */
export const metadataAddress = /^\/\.well-known\/oauth-protected-resource(?:\/mcp(?:\/([^/?]+))?)?\/?(?:\?|$)/;

function urlOf({ origin, profile }: Resource): string {
  return `${origin}/mcp${profile === undefined ? '' : `/${encodeURIComponent(profile)}`}`;
}

/** A token for the endpoint is good at its profiles, too; one for a profile nowhere else. */
function audiencesOf({ audience }: IssuerSettings, resource: Resource): readonly string[] {
  if (audience !== undefined) return typeof audience === 'string' ? [audience] : audience;
  return [urlOf(resource), urlOf({ ...resource, profile: undefined })];
}

/** The profile that the holder is bound to here. */
function profileOf(
  { isEverywhere, profiles }: Granted,
  settings: IssuerSettings,
  { profile }: Resource,
): string | undefined {
  if (profile === undefined) {
    const [only] = profiles;
    if (isEverywhere) return undefined;
    if (profiles.size === 1) return only;
  } else {
    if (profiles.has(profile)) return profile;
    if (isEverywhere) return undefined;
  }
  const scope = scopesFor(profile, settings).join(' ');
  throw new Problem('scope-missing', `the token lacks the scope for this address: ${scope}`, {
    headers: { 'WWW-Authenticate': challenge({ error: 'insufficient_scope', scope }) },
  });
}

/** The same for all tokens of a subject, and nobody else's: whatever stands in a subject, it separates nothing. */
function principalOf(issuer: string, subject: string): string {
  return `oauth:${encodeURIComponent(issuer.replace(/^https:\/\//, ''))}:${encodeURIComponent(subject)}`;
}

function expired(): Problem {
  return refused('token-expired', 'the token has expired; get a new one from its authorization server');
}

function refused(code: 'token-wrong' | 'token-expired', detail: string): Problem {
  return new Problem(code, detail, { headers: { 'WWW-Authenticate': challenge({ error: 'invalid_token' }) } });
}
