import type { MiddlewareHandler } from 'hono';
import type { ServerContext, ServerEnvironment } from '../../http/server-context.ts';
import {
  type SignInReason,
  signInPage,
  signInPolicy,
  signedInPage,
  signedInPolicy,
} from '../../pages/sign-in-pages.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { readSessionCookie, writeSessionCookie } from './session-cookie.ts';
import type { SignInCodes } from './sign-in-codes.ts';

/**
 * Signs in browsers at the pages. Only a one-time code yields a cookie and a browser key. Requests without a code or a valid cookie
 * get the sign-in page.
 */
export function signIn(codes: SignInCodes, sessions: BrowserSessions): MiddlewareHandler<ServerEnvironment> {
  return async (context, next) => {
    const refuse = (reason: SignInReason): Response | Promise<Response> => {
      context.header('Content-Security-Policy', signInPolicy);
      const isFromOtherSite = context.req.header('sec-fetch-site') === 'cross-site';
      return context.html(signInPage(reason, isFromOtherSite), 401);
    };
    const cookie = readSessionCookie(context, sessions);
    const signedIn = cookie !== undefined && (await sessions.touch(cookie)) !== undefined;
    const code = context.req.path === '/' ? context.req.query('token') : undefined;
    if (code !== undefined) {
      const person = isNavigation(context) ? await codes.redeem(code) : undefined;
      if (person !== undefined) {
        const { id, key } = await sessions.create(person);
        writeSessionCookie(context, sessions, id);
        context.header('Content-Security-Policy', signedInPolicy);
        return context.html(signedInPage(key));
      }
      // A second click on the same link must not sign the browser out.
      return signedIn ? context.redirect('/', 303) : refuse('code-refused');
    }
    if (!signedIn && context.req.header('authorization') === undefined)
      return refuse(cookie === undefined ? 'signed-out' : 'sign-in-ended');
    // Extends the lifetime of the cookie.
    if (signedIn) writeSessionCookie(context, sessions, cookie);
    await next();
    return undefined;
  };
}

/** Returns whether a person opens the page: link previews and prefetching must not consume the code. */
function isNavigation(context: ServerContext): boolean {
  return context.req.method === 'GET' && !/prefetch|prerender/i.test(context.req.header('sec-purpose') ?? '');
}
