import type { MiddlewareHandler } from 'hono';
import type { ServerContext, ServerEnvironment } from '../http/server-context.ts';
import { Problem } from '../problems/problem.ts';
import { type RouteTable, routeOf } from './authorize.ts';
import type { BearerTokens } from './tokens/bearer-tokens.ts';
import type { BrowserSessions } from './browser/browser-sessions.ts';
import { tokenChallenge } from './tokens/token-challenge.ts';
import type { Identity } from './identity.ts';
import { browserKeyHeader, readSessionCookie } from './browser/session-cookie.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Identifies the caller of every request, and refuses requests without valid credentials. */
export function authenticate(
  bearers: BearerTokens,
  sessions: BrowserSessions,
  routes: () => RouteTable,
): MiddlewareHandler<ServerEnvironment> {
  return async (context, next) => {
    const { incoming, outgoing } = context.env;
    const identity =
      context.req.header('authorization') === undefined
        ? await identifyBrowser(context, sessions, isPage(context, routes()))
        : await bearers.identify(incoming, outgoing);
    context.set('identity', identity);
    context.set('principal', identity.principal);
    await next();
  };
}

/** Returns whether the cookie alone is sufficient: for pages without data, and for unknown pages. */
function isPage(context: ServerContext, routes: RouteTable): boolean {
  const route = routeOf(context);
  if (route !== undefined) return routes.get(route)?.isPage === true;
  return context.req.header('sec-fetch-dest') === 'document' && !context.req.path.startsWith('/api/');
}

async function identifyBrowser(
  context: ServerContext,
  sessions: BrowserSessions,
  isCookieSufficient: boolean,
): Promise<Identity> {
  const session = readSessionCookie(context, sessions);
  const headers = { 'WWW-Authenticate': tokenChallenge() };
  const person = session === undefined ? undefined : await sessions.touch(session);
  if (session === undefined || person === undefined) {
    throw new Problem(
      'token-missing',
      'send "Authorization: Bearer …" with the token, or open the sign-in link that "signalbox serve" prints',
      { headers },
    );
  }
  const key = context.req.header(browserKeyHeader);
  if (!isCookieSufficient && (key === undefined || !(await sessions.isProven({ id: session, key })))) {
    throw new Problem(
      'browser-key-wrong',
      key === undefined
        ? `the cookie came without the header ${browserKeyHeader}; a browser gets its key when it opens a sign-in link at this address`
        : `the header ${browserKeyHeader} does not carry the key of this browser; open a new sign-in link at this address`,
      { headers },
    );
  }
  assertOwnPage(context);
  sessions.endWith(session, context.env.outgoing);
  return { principal: person, role: 'admin' };
}

/** Refuses requests with side effects that do not come from a page of this server: browsers send the cookie for any page. */
function assertOwnPage(context: ServerContext): void {
  if (safeMethods.has(context.req.method)) return;
  // A present Origin was checked by `assertHostAndOrigin`.
  if (context.req.header('origin') !== undefined || context.req.header('sec-fetch-site') === 'same-origin') return;
  throw new Problem('origin-refused', 'requests that change something need the header Origin');
}
