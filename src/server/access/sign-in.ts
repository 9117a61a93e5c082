import type { MiddlewareHandler } from 'hono';
import type { ServerContext, ServerEnvironment } from '../environment.ts';
import { type SignInReason, signInPage, signInPolicy, signedInPage, signedInPolicy } from '../pages/sign-in.ts';
import type { BrowserSessions } from './browser-sessions.ts';
import { readSessionCookie, writeSessionCookie } from './session-cookie.ts';
import type { SignInCodes } from './sign-in-codes.ts';

/**
 * Lets people in at the pages. A one-time code becomes a cookie and a browser key, and nothing else does: a cookie gives no key.
 * Requests with neither code nor cookie get the page that says where to find the link.
 */
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
      const person = isOpened(context) ? await codes.redeem(code) : undefined;
      if (person !== undefined) {
        const { id, key } = await sessions.open(person);
        writeSessionCookie(context, sessions, id);
        context.header('Content-Security-Policy', signedInPolicy);
        return context.html(signedInPage(key));
      }
      // A second click on the printed link must not cost anybody the sign-in.
      return signedIn ? context.redirect('/', 303) : refuse('code-refused');
    }
    if (!signedIn && context.req.header('authorization') === undefined)
      return refuse(known === undefined ? 'signed-out' : 'sign-in-ended');
    // Visits to the page keep the browser's own copy of the cookie from running out.
    if (signedIn) writeSessionCookie(context, sessions, known);
    await next();
    return undefined;
  };
}

/** Returns whether somebody opens the page: previews and prefetching browsers only look, and must not use the code up. */
function isOpened(context: ServerContext): boolean {
  return context.req.method === 'GET' && !/prefetch|prerender/i.test(context.req.header('sec-purpose') ?? '');
}
