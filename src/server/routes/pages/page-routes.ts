import { createRoute, z } from '@hono/zod-openapi';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { docsPage } from '../../pages/docs-page.ts';
import { stylesheet } from '../../pages/stylesheet.ts';
import { problems } from '../../schemas/route-schemas.ts';
import type { OpenApiDocument } from './openapi-routes.ts';

const page = { 'text/html': { schema: z.string() } };

const docsRoute = createRoute({
  method: 'get',
  path: '/docs',
  'x-roles': routeRoles.look,
  'x-page': true,
  tags: ['Documentation'],
  summary: 'The API documentation as a page',
  responses: {
    200: { description: 'The page.', content: page },
    ...problems(),
    401: { description: 'Not signed in; the page explains how.', content: page },
  },
});

const styleRoute = createRoute({
  method: 'get',
  path: '/assets/page.css',
  'x-roles': routeRoles.look,
  'x-page': true,
  tags: ['Pages'],
  summary: 'The stylesheet of the pages',
  responses: { 200: { description: 'CSS.', content: { 'text/css': { schema: z.string() } } }, ...problems() },
});

/** Adds the API documentation, and the stylesheet of all pages without scripts. */
export function addPageRoutes(app: ServerApp, document: () => OpenApiDocument): void {
  app.openapi(docsRoute, (context) => context.html(docsPage(document())));
  app.openapi(styleRoute, (context) => context.body(stylesheet, 200, { 'Content-Type': 'text/css; charset=utf-8' }));
}
