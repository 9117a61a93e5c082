import { RemoteError } from '../../connection/connection-errors.ts';
import { assertConfidential } from './authorization-fetch.ts';
import { type ProtectedServer, isUnattended } from './oauth-options.ts';
import { NotAuthorizedError, OAuthSession, SignInNeededError } from './oauth-session.ts';
import { toSingleLine } from './token-request.ts';
import { type FetchLike, extractWWWAuthenticateParams } from '@modelcontextprotocol/client';

/** The part of a response that decides about a token. */
export interface AuthorizationResult {
  readonly status: number;
  readonly challenge: string | undefined;
}

/** Sends requests with the token of an OAuth session. */
export class BearerAuthorization {
  readonly #server: ProtectedServer;
  readonly #session: OAuthSession;
  /** The error of the last request, if it was refused because of a missing or insufficient token. */
  refusal: Error | undefined;

  constructor(server: ProtectedServer) {
    this.#server = server;
    this.#session = new OAuthSession(server);
  }

  /** Runs a request with a token, and again with another token when the server rejects the first. */
  async run<Result extends AuthorizationResult>(attempt: (token: string) => Promise<Result>): Promise<Result> {
    try {
      assertConfidential(new URL(this.#server.url));
      const token = await this.#session.token();
      let result = await attempt(token);
      if (result.status === 401) result = await attempt(await this.#session.replace(token));
      if (result.status === 401) throw new SignInNeededError('the server rejects the token', this.#server.oauth);
      if (result.status === 403) await this.#assertSufficientScope(result.challenge);
      return result;
    } catch (error) {
      if (error instanceof NotAuthorizedError || error instanceof RemoteError) this.refusal = error;
      throw error;
    }
  }

  /** Throws when the server wants more scopes than were granted, and has the next sign-in ask for them. */
  async #assertSufficientScope(challenge: string | undefined): Promise<void> {
    const headers = { 'www-authenticate': challenge ?? '' };
    const { error, scope } = extractWWWAuthenticateParams(new Response(null, { headers }));
    if (error !== 'insufficient_scope') return;
    const { oauth } = this.#server;
    const wanted = toSingleLine(scope);
    if (wanted !== undefined && !isUnattended(oauth)) await this.#session.requireScope(wanted);
    const why = wanted === undefined ? 'it requires more than was granted' : `it requires the scope "${wanted}"`;
    const needed = new SignInNeededError(why, oauth);
    throw new RemoteError(403, needed.message, undefined, { cause: needed });
  }
}

/** Wraps `fetch` so that every request to the server's own origin carries its token. */
export function authorizedFetch(serverUrl: URL, authorization: BearerAuthorization, fetch: FetchLike): FetchLike {
  return async (url, init = {}) => {
    if (new URL(url).origin !== serverUrl.origin) return await fetch(url, init);
    const { response } = await authorization.run(async (token) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${token}`);
      const answered = await fetch(url, { ...init, headers });
      if (answered.status === 401) await answered.body?.cancel();
      const challenge = answered.headers.get('www-authenticate') ?? undefined;
      return { status: answered.status, challenge, response: answered };
    });
    return response;
  };
}
