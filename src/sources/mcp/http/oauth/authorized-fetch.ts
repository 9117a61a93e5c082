import { type FetchLike, extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import { RemoteError } from '../../connection-errors.ts';
import { assertConfidential } from './authorization-fetch.ts';
import { NotAuthorized, SignInNeeded } from './not-authorized.ts';
import { type ProtectedServer, signsInAlone } from './oauth-options.ts';
import { OAuthSession } from './session.ts';
import { shown } from './token-request.ts';

/** A `fetch` that shows the server its token, and how it was refused the last time it was. */
export interface AuthorizedFetch {
  readonly fetch: FetchLike;
  refusal(): Error | undefined;
}

/** Puts the token into every request to the server's own origin, and renews it once when the server does not take it. */
export function authorizedFetch(server: ProtectedServer, fetch: FetchLike): AuthorizedFetch {
  const { origin } = new URL(server.url);
  const session = new OAuthSession(server);
  let refusal: Error | undefined;

  const send: FetchLike = async (given, init = {}) => {
    const url = new URL(given);
    if (url.origin !== origin) return await fetch(given, init);
    assertConfidential(url);
    const attempt = async (token: string): Promise<Response> => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${token}`);
      return await fetch(given, { ...init, headers });
    };
    const token = await session.token();
    let response = await attempt(token);
    if (response.status === 401) {
      await response.body?.cancel();
      response = await attempt(await session.replace(token));
    }
    if (response.status === 401) {
      await response.body?.cancel();
      throw new SignInNeeded('the server does not take the token', server.oauth);
    }
    if (response.status === 403) await refuseScope(response, session, server);
    return response;
  };

  return {
    fetch: async (given, init) => {
      try {
        return await send(given, init);
      } catch (error) {
        if (error instanceof NotAuthorized || error instanceof RemoteError) refusal = error;
        throw error;
      }
    },
    refusal: () => refusal,
  };
}

/** More than was granted: the next sign-in asks for it. */
async function refuseScope(response: Response, session: OAuthSession, { oauth }: ProtectedServer): Promise<void> {
  const { error, scope } = extractWWWAuthenticateParams(response);
  if (error !== 'insufficient_scope') return;
  await response.body?.cancel();
  const wanted = shown(scope);
  if (wanted !== undefined && !signsInAlone(oauth)) await session.want(wanted);
  const why = wanted === undefined ? 'it wants more than was granted' : `it wants the scope "${wanted}"`;
  const needed = new SignInNeeded(why, oauth);
  throw new RemoteError(403, needed.message, undefined, { cause: needed });
}
