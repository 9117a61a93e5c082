import type { FetchLike } from '@modelcontextprotocol/client';
import type { BearerAuthorization } from './bearer-authorization.ts';

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
