import type { MiddlewareHandler } from 'hono';
import type { Principal } from '../../model/call.ts';
import type { ServerContext, ServerEnvironment } from '../environment.ts';
import { Problem } from '../problems/problem.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { readSessionCookie } from './session-cookie.ts';

/** A script with the admin token. It may be an agent's, so it is never taken for a human. */
const tokenHolder: Principal = { id: 'token:admin', kind: 'agent' };
/** A person at a browser that was signed in by a one-time link. */
const browser: Principal = { id: 'console', kind: 'human' };

const harmless = new Set(['GET', 'HEAD', 'OPTIONS']);
const challenge = { 'WWW-Authenticate': 'Bearer realm="signalbox"' };

/** Finds out who is asking; nobody gets past it unknown. */
export function authenticate(
  isAdminToken: (presented: string) => boolean,
  sessions: BrowserSessions,
): MiddlewareHandler<ServerEnvironment> {
  return async (context, next) => {
    context.set('principal', identify(context, isAdminToken, sessions));
    await next();
  };
}

function identify(
  context: ServerContext,
  isAdminToken: (presented: string) => boolean,
  sessions: BrowserSessions,
): Principal {
  const header = context.req.header('authorization');
  if (header !== undefined) {
    const presented = /^Bearer +(\S+) *$/i.exec(header)?.[1];
    if (presented !== undefined && isAdminToken(presented)) return tokenHolder;
    throw new Problem('token-wrong', 'the Authorization header does not carry the token of this server', {
      headers: { 'WWW-Authenticate': `${challenge['WWW-Authenticate']}, error="invalid_token"` },
    });
  }
  const session = readSessionCookie(context);
  if (session === undefined || !sessions.touch(session)) {
    throw new Problem(
      'token-missing',
      'send "Authorization: Bearer …" with the token, or open the sign-in link that "signalbox serve" prints',
      {
        headers: challenge,
      },
    );
  }
  assertOwnPage(context);
  return browser;
}

/** A browser sends its cookie whichever page makes it: what changes something must come from a page of ours. */
function assertOwnPage(context: ServerContext): void {
  if (harmless.has(context.req.method)) return;
  // An Origin that is present was already found to be ours.
  if (context.req.header('origin') !== undefined || context.req.header('sec-fetch-site') === 'same-origin') return;
  throw new Problem(
    'origin-refused',
    'the request changes something but does not say which page made it (Origin is missing)',
  );
}
