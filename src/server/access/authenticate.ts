import type { MiddlewareHandler } from 'hono';
import type { Signalbox } from '../../signalbox.ts';
import type { ServerContext, ServerEnvironment } from '../environment.ts';
import { Problem } from '../problems/problem.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { FailedAttempts } from './failed-attempts.ts';
import { type Identity, adminIdentity, browserIdentity, tokenIdentity } from './identity.ts';
import { OpenRequests } from './open-requests.ts';
import { readSessionCookie } from './session-cookie.ts';

/** What people are recognised by. */
export interface Credentials {
  readonly isAdminToken: (presented: string) => boolean;
  readonly tokens: Signalbox['tokens'];
  readonly sessions: BrowserSessions;
}

const harmless = new Set(['GET', 'HEAD', 'OPTIONS']);
const challenge = 'Bearer realm="signalbox"';

/** Finds out who is asking; nobody gets past it unknown. */
export function authenticate(credentials: Credentials): MiddlewareHandler<ServerEnvironment> {
  const attempts = new FailedAttempts();
  const open = new OpenRequests((token) => credentials.tokens.isActive(token));
  return async (context, next) => {
    const header = context.req.header('authorization');
    const identity =
      header === undefined
        ? identifyBrowser(context, credentials.sessions)
        : await identifyToken(context, header, credentials, attempts);
    if (identity.token !== undefined) open.add(identity.token, context.env.outgoing);
    context.set('identity', identity);
    context.set('principal', identity.principal);
    await next();
  };
}

async function identifyToken(
  context: ServerContext,
  header: string,
  { isAdminToken, tokens }: Credentials,
  attempts: FailedAttempts,
): Promise<Identity> {
  const peer = context.env.incoming.socket.remoteAddress ?? '';
  const presented = /^Bearer +(\S+) *$/i.exec(header)?.[1] ?? '';
  const waitSeconds = attempts.waitSeconds(peer, presented);
  if (waitSeconds > 0) {
    const headers = { 'Retry-After': String(waitSeconds) };
    throw new Problem('attempts-exceeded', `too many wrong tokens came from ${peer}; wait ${waitSeconds} s`, {
      headers,
    });
  }
  if (isAdminToken(presented)) {
    attempts.succeeded(presented);
    return adminIdentity;
  }
  const check = await tokens.check(presented);
  switch (check.state) {
    case 'wrong':
      attempts.failed(peer);
      throw refused('token-wrong', 'the Authorization header does not carry a token of this server');
    case 'expired':
      throw refused('token-expired', 'the token was good until a while ago; signalbox token create makes a new one');
    case 'revoked':
      throw refused('token-wrong', 'the token was revoked; signalbox token create makes a new one');
    case 'active':
      attempts.succeeded(presented);
      if (check.profile !== undefined) throw new Problem('role-refused', withoutProfiles(check.profile));
      return tokenIdentity(check);
  }
}

/** Nothing here narrows the catalog yet, and nobody may see more than their token says. */
function withoutProfiles(profile: string): string {
  return `the token is bound to the profile ${JSON.stringify(profile)}, which this server does not have`;
}

function refused(code: 'token-wrong' | 'token-expired', detail: string): Problem {
  return new Problem(code, detail, { headers: { 'WWW-Authenticate': `${challenge}, error="invalid_token"` } });
}

function identifyBrowser(context: ServerContext, sessions: BrowserSessions): Identity {
  const session = readSessionCookie(context);
  if (session === undefined || !sessions.touch(session)) {
    throw new Problem(
      'token-missing',
      'send "Authorization: Bearer …" with the token, or open the sign-in link that "signalbox serve" prints',
      { headers: { 'WWW-Authenticate': challenge } },
    );
  }
  assertOwnPage(context);
  return browserIdentity;
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
