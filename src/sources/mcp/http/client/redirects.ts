import type { IncomingHttpHeaders } from 'node:http';

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Returns the URL that a redirect points to, or undefined for any other response. */
export function redirectTarget(url: URL, status: number, { location }: IncomingHttpHeaders): URL | undefined {
  if (!redirectStatuses.has(status) || location === undefined) return undefined;
  return URL.parse(location, url.href) ?? undefined;
}

/**
 * Returns why a redirect is not followed, or undefined when it is: it must keep the method, the credentials and the origin, or lead from
 * http to https of the same host. Anything else could send the request, with its headers, to a server that was not configured.
 */
export function unfollowedRedirect(from: URL, to: URL, method: string, status: number): string | undefined {
  const keepsMethod = method === 'GET' || status === 307 || status === 308;
  const hasOwnCredentials = to.username !== '' || to.password !== '';
  const keepsCredentials = !hasOwnCredentials || (to.username === from.username && to.password === from.password);
  if (keepsMethod && keepsCredentials && isWithinOrigin(from, to)) return undefined;
  const place = `${to.host}${to.pathname}`;
  if (to.protocol === 'http:' && from.protocol === 'https:')
    return `Redirect from https to plain http not followed; try https://${place} as the endpoint`;
  return `Redirect to ${to.protocol}//${place} not followed; use that URL as the endpoint if it is the intended server`;
}

function isWithinOrigin(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname;
  return isUpgrade && from.port === '' && to.port === '';
}
