import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { ServerContext } from '../environment.ts';
import { idleSeconds } from './browser-sessions.ts';

/** Cookies know no ports: without the port in its name, two servers on one machine would sign each other's browsers out. */
function cookieName(context: ServerContext): string {
  return `signalbox-${context.env.incoming.socket.localPort ?? 0}`;
}

/** The session id a browser presents. */
export function readSessionCookie(context: ServerContext): string | undefined {
  return getCookie(context, cookieName(context));
}

/** Hands a browser its session id. Not `Secure`: the server speaks plain HTTP on loopback, where some browsers would drop it. */
export function writeSessionCookie(context: ServerContext, id: string): void {
  setCookie(context, cookieName(context), id, { httpOnly: true, sameSite: 'Strict', path: '/', maxAge: idleSeconds });
}

/** Has a browser forget its session id. */
export function removeSessionCookie(context: ServerContext): void {
  deleteCookie(context, cookieName(context), { path: '/' });
}
