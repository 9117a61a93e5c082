import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { ServerContext } from '../../http/server-context.ts';
import { type BrowserSessions, maxIdleSeconds } from './browser-sessions.ts';

/** The header with the browser key. Other servers on this host receive the cookie, but cannot read the key. */
export const browserKeyHeader = 'signalbox-browser-key';

/** Returns the session id in the cookie of a request. */
export function readSessionCookie(context: ServerContext, { cookie }: BrowserSessions): string | undefined {
  return getCookie(context, cookie);
}

/** Sets the session cookie. Not `Secure`, because some browsers reject such cookies over plain HTTP on loopback. */
export function writeSessionCookie(context: ServerContext, { cookie }: BrowserSessions, id: string): void {
  setCookie(context, cookie, id, { httpOnly: true, sameSite: 'Strict', path: '/', maxAge: maxIdleSeconds });
}

/** Deletes the session cookie. */
export function removeSessionCookie(context: ServerContext, { cookie }: BrowserSessions): void {
  deleteCookie(context, cookie, { path: '/' });
}
