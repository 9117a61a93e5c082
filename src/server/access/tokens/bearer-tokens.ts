import { hash, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import type { HttpRequestHead, HttpResponse } from '../../../surfaces/mcp/http/http-types.ts';
import { Problem } from '../../problems/problem.ts';
import { refusedToken } from './token-challenge.ts';
import { commandLineIdentity, principalHeader } from './command-line.ts';
import { FailedAttempts } from './failed-attempts.ts';
import { type Identity, adminIdentity, tokenIdentity } from '../identity.ts';
import { OpenRequests } from './open-requests.ts';

/** The checks of presented tokens. */
interface TokenChecks {
  readonly isAdminToken: (presented: string) => boolean;
  /** Returns whether a token is the key of the run file, which the command line on this machine sends. */
  readonly isCommandLineKey?: ((presented: string) => boolean) | undefined;
  readonly tokens: InternalSignalbox['tokens'];
}

/** Identifies the holder of a token of another issuer; returns `undefined` for a token of another form. */
type ForeignTokenCheck = (presented: string) => Promise<Identity> | undefined;

/** The caller of the last request on a connection. */
interface CachedIdentity {
  readonly header: string;
  readonly identity: Identity;
  readonly until: number;
  readonly revocations: number;
}

/** A token lookup queries the store. The cache must expire before the second within which open requests of a revoked token end. */
const identityTtlMs = 500;

/** Identifies callers by their tokens, and ends their open requests when the token is revoked or expires. */
export class BearerTokens {
  readonly #checks: TokenChecks;
  readonly #attempts = new FailedAttempts();
  readonly #open: OpenRequests;
  readonly #identities = new WeakMap<Socket, CachedIdentity>();

  constructor(checks: TokenChecks) {
    this.#checks = checks;
    this.#open = new OpenRequests((identity) => this.isStillValid(identity));
  }

  /** Returns the identity of the token in the `Authorization` header. Rejects with a problem when it is not valid. */
  async identify(
    request: HttpRequestHead,
    response: HttpResponse,
    identifyForeign: ForeignTokenCheck = () => undefined,
  ): Promise<Identity> {
    const cached = this.cachedIdentity(request, response);
    if (cached !== undefined) return cached;
    const identity = await this.#verify(request, identifyForeign);
    if (identity.token !== undefined) this.#open.add(identity, response);
    return identity;
  }

  /** Returns the identity that the last request on the same connection had, if it sent the same token moments ago. */
  cachedIdentity(request: HttpRequestHead, response: HttpResponse): Identity | undefined {
    const identity = this.#recentIdentity(request);
    if (identity?.token !== undefined) this.#open.add(identity, response);
    return identity;
  }

  /** Returns whether the token of an identity is still valid. */
  async isStillValid({ token, isStillValid }: Identity): Promise<boolean> {
    if (isStillValid !== undefined) return isStillValid();
    return token === undefined || (await this.#checks.tokens.isActive(token));
  }

  /** Compares the header directly: only the connection that sent this header before is compared with it, so timing reveals nothing. */
  #recentIdentity({ headers, socket }: HttpRequestHead): Identity | undefined {
    const known = this.#identities.get(socket);
    if (known === undefined || known.header !== headers.authorization) return undefined;
    const isCurrent = performance.now() < known.until && known.revocations === this.#checks.tokens.revocations;
    return isCurrent ? known.identity : undefined;
  }

  async #verify({ headers, socket }: HttpRequestHead, identifyForeign: ForeignTokenCheck): Promise<Identity> {
    const header = headers.authorization ?? '';
    const { revocations } = this.#checks.tokens;
    const until = performance.now() + identityTtlMs;
    const presented = /^Bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
    // Not cached for the connection: the next request may name another principal.
    if (this.#checks.isCommandLineKey?.(presented) === true) return commandLineIdentity(headers[principalHeader]);
    // Invalid foreign tokens are not counted: a signature cannot be guessed, and all clients behind a proxy are one peer.
    const other = this.#checks.isAdminToken(presented) ? undefined : identifyForeign(presented);
    if (other !== undefined) return other;
    const identity = await this.#identify(presented, socket.remoteAddress ?? '');
    this.#identities.set(socket, { header, identity, until, revocations });
    return identity;
  }

  async #identify(presented: string, peer: string): Promise<Identity> {
    if (this.#checks.isAdminToken(presented)) return adminIdentity;
    // The check is cheap: a hash and, for a well-formed token, one lookup by id.
    const check = await this.#checks.tokens.check(presented);
    switch (check.state) {
      case 'wrong':
        this.#countFailure(peer);
        throw refusedToken('token-wrong', 'the Authorization header does not contain a token of this server');
      case 'expired':
        throw refusedToken('token-expired', 'the token has expired; "signalbox token create" creates a new one');
      case 'revoked':
        throw refusedToken('token-wrong', 'the token was revoked; "signalbox token create" creates a new one');
      case 'active':
        return tokenIdentity(check);
    }
  }

  /** Counts a wrong token. Throws `attempts-exceeded` when the peer sent too many. */
  #countFailure(peer: string): void {
    const waitSeconds = this.#attempts.count(peer);
    if (waitSeconds === 0) return;
    const headers = { 'Retry-After': String(waitSeconds) };
    const detail = `the token is wrong, and too many wrong ones came from ${peer}; wait ${waitSeconds} s or send a valid one`;
    throw new Problem('attempts-exceeded', detail, { headers });
  }
}

/** Returns a function that compares a presented token with `token` in constant time. Throws when `token` is empty. */
export function createTokenMatcher(token: string): (presented: string) => boolean {
  if (token === '') throw new TypeError('the admin token is empty: every request would be accepted');
  const expected = digest(token);
  return (presented) => timingSafeEqual(digest(presented), expected);
}

/** Hashes make both sides equally long and hide common prefixes. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
