import { createRoute, z } from '@hono/zod-openapi';
import type { Signalbox } from '../../signalbox.ts';
import { may } from '../access/may.ts';
import type { ServerApp } from '../environment.ts';
import { docsPage } from '../pages/docs.ts';
import { homePage } from '../pages/home.ts';
import { script } from '../pages/script.ts';
import { stylesheet } from '../pages/stylesheet.ts';
import { problems } from '../schemas/problem.ts';
import type { OpenApiDocument } from './openapi.ts';

const page = { 'text/html': { schema: z.string() } };

const homeRoute = createRoute({
  method: 'get',
  path: '/',
  'x-roles': may.read,
  tags: ['Pages'],
  summary: 'What waits for an answer, the tools, and a call to try',
  description:
    'With a one-time code from the link that `signalbox serve` prints: signs the browser in, and goes on without the code.',
  request: { query: z.object({ token: z.string().optional() }) },
  responses: {
    200: { description: 'The page.', content: page },
    303: { description: 'Signed in.' },
    ...problems(),
    401: { description: 'Not signed in; the page tells how.', content: page },
  },
});

const docsRoute = createRoute({
  method: 'get',
  path: '/docs',
  'x-roles': may.look,
  tags: ['Documentation'],
  summary: 'This API to read',
  responses: {
    200: { description: 'The page.', content: page },
    ...problems(),
    401: { description: 'Not signed in; the page tells how.', content: page },
  },
});

const styleRoute = createRoute({
  method: 'get',
  path: '/assets/page.css',
  'x-roles': may.look,
  tags: ['Pages'],
  summary: 'The stylesheet of the pages',
  responses: { 200: { description: 'CSS.', content: { 'text/css': { schema: z.string() } } }, ...problems() },
});

const scriptRoute = createRoute({
  method: 'get',
  path: '/assets/page.js',
  'x-roles': may.look,
  tags: ['Pages'],
  summary: 'The script of the pages',
  responses: {
    200: { description: 'JavaScript.', content: { 'text/javascript': { schema: z.string() } } },
    ...problems(),
  },
});

export function pageRoutes(app: ServerApp, box: Signalbox, document: () => OpenApiDocument): void {
  app.openapi(homeRoute, async (context) => {
    const { version, journal, approvals } = box;
    const waiting = (await approvals.list()).filter(({ state }) => state === 'pending');
    return context.html(homePage({ version, journal: journal.location, catalog: box.catalog(), waiting }));
  });
  app.openapi(docsRoute, (context) => context.html(docsPage(document())));
  app.openapi(styleRoute, (context) => context.body(stylesheet, 200, { 'Content-Type': 'text/css; charset=utf-8' }));
  app.openapi(scriptRoute, (context) =>
    context.body(script, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }),
  );
}
