import { createRoute, z } from '@hono/zod-openapi';
import type { BrowserSessions } from '../../access/browser/browser-sessions.ts';
import { routeRoles } from '../../access/route-roles.ts';
import { readSessionCookie, removeSessionCookie } from '../../access/browser/session-cookie.ts';
import type { SignInCodes } from '../../access/browser/sign-in-codes.ts';
import { normalizeName } from '../../../core/text/normalize-name.ts';
import type { Principal } from '../../../core/principal.ts';
import { Problem } from '../../problems/problem.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { json } from '../../http/json-response.ts';

const linkSchema = z
  .object({ url: z.string().openapi({ example: 'http://127.0.0.1:4242/?token=…' }) })
  .openapi('SignInLink');

const linkRoute = createRoute({
  method: 'post',
  path: '/api/sign-in-links',
  'x-roles': routeRoles.change,
  tags: ['Access'],
  summary: 'Create a sign-in link',
  description:
    'The link works once, within ten minutes, and signs in a browser as admin. The journal records its actions under `name`, or under the name of the caller.',
  request: { query: z.object({ name: z.string().min(1).max(100).optional().openapi({ example: 'Ada' }) }) },
  responses: { 201: jsonResponse('The link.', linkSchema), ...problems() },
});

const outRoute = createRoute({
  method: 'post',
  path: '/api/sign-out',
  'x-roles': routeRoles.change,
  tags: ['Access'],
  summary: 'Sign out this browser',
  description:
    'Signs out all windows of the browser and ends their streams. Tokens remain valid: `DELETE /api/tokens/{id}` revokes one.',
  responses: { 204: { description: 'The browser was signed out.' }, ...problems() },
});

/** Options of `addSignInRoutes`. */
interface SignInRouteOptions {
  readonly codes: SignInCodes;
  readonly url: () => string;
  readonly browserSessions: BrowserSessions;
}

/** Adds the routes that create sign-in links and sign out. */
export function addSignInRoutes(app: ServerApp, { codes, url, browserSessions }: SignInRouteOptions): void {
  app.openapi(linkRoute, async (context) => {
    const { name } = context.req.valid('query');
    const link = await codes.linkAt(url(), name === undefined ? context.var.principal : personNamed(name));
    return json(context, linkSchema, { url: link }, 201);
  });

  app.openapi(outRoute, async (context) => {
    const session = readSessionCookie(context, browserSessions);
    if (session !== undefined) await browserSessions.close(session, context.env.outgoing);
    removeSessionCookie(context, browserSessions);
    return context.body(null, 204);
  });
}

function personNamed(text: string): Principal {
  const name = normalizeName(text);
  if (name === '') throw new Problem('request-malformed', 'the name of a person needs a visible character');
  return { id: `user:${name}`, kind: 'human' };
}
