import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { ServerContext } from '../environment.ts';
import { type BrowserSessions, idleSeconds } from './browser-sessions.ts';

/** Carries the browser key. Another server on this host is sent the cookie, but cannot read the key. */
export const browserKeyHeader = 'signalbox-browser-key';

/** The session id a browser presents. */
export function readSessionCookie(context: ServerContext, { cookie }: BrowserSessions): string | undefined {
  return getCookie(context, cookie);
}

/** Hands a browser its session id. Not `Secure`: the server speaks plain HTTP on loopback, where some browsers would drop it. */
export function writeSessionCookie(context: ServerContext, { cookie }: BrowserSessions, id: string): void {
  setCookie(context, cookie, id, { httpOnly: true, sameSite: 'Strict', path: '/', maxAge: idleSeconds });
}

/** Has a browser forget its session id. */
export function removeSessionCookie(context: ServerContext, { cookie }: BrowserSessions): void {
  deleteCookie(context, cookie, { path: '/' });
}
