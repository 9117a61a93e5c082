import type { MiddlewareHandler } from 'hono';
import type { ServerEnvironment } from '../environment.ts';
import { type SignInReason, signInPage, signInPolicy } from '../pages/sign-in.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { readSessionCookie, writeSessionCookie } from './session-cookie.ts';
import type { SignInCodes } from './sign-in-codes.ts';

/** Lets people in at the pages: a one-time code becomes a cookie, and whoever has neither is told where to find the link. */
export function signIn(codes: SignInCodes, sessions: BrowserSessions): MiddlewareHandler<ServerEnvironment> {
  return async (context, next) => {
    const refuse = (reason: SignInReason): Response | Promise<Response> => {
      context.header('Content-Security-Policy', signInPolicy);
      return context.html(signInPage(reason), 401);
    };
    const known = readSessionCookie(context, sessions);
    const signedIn = known !== undefined && (await sessions.touch(known)) !== undefined;
    const code = context.req.path === '/' ? context.req.query('token') : undefined;
    if (code !== undefined) {
      // A second click on the printed link, or a link preview that only looks, must not cost anybody the sign-in.
      if (signedIn) return context.redirect('/', 303);
      const person = context.req.method === 'GET' ? await codes.redeem(code) : undefined;
      if (person === undefined) return refuse('code-refused');
      writeSessionCookie(context, sessions, await sessions.open(person));
      return context.redirect('/', 303);
    }
    if (!signedIn && context.req.header('authorization') === undefined) return refuse('signed-out');
    // Visits to the page keep the browser's own copy of the cookie from running out.
    if (signedIn) writeSessionCookie(context, sessions, known);
    await next();
    return undefined;
  };
}
