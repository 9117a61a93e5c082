import { createRoute, z } from '@hono/zod-openapi';
import { routeRoles } from '../../access/route-roles.ts';
import { serializedJson } from '../../http/json-response.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { type OpenApiDocument, docsPage } from '../../pages/docs-page.ts';
import { stylesheet } from '../../pages/stylesheet.ts';
import { jsonObject } from '../../schemas/json-schemas.ts';
import { jsonResponse, problems } from '../../schemas/route-schemas.ts';

/** In the order of the documentation. */
const tags = [
  'Tools',
  'Resources and prompts',
  'Sessions',
  'Approvals',
  'Servers',
  'Lock',
  'Policies',
  'Access',
  'Record',
  'State',
  'Documentation',
  'Pages',
];
const page = { 'text/html': { schema: z.string() } };

const openApiRoute = createRoute({
  method: 'get',
  path: '/openapi.json',
  'x-roles': routeRoles.view,
  'x-page': true,
  tags: ['Documentation'],
  summary: 'Get the OpenAPI 3.1 document of this API',
  responses: { 200: jsonResponse('The document.', jsonObject), ...problems() },
});

const docsRoute = createRoute({
  method: 'get',
  path: '/docs',
  'x-roles': routeRoles.view,
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
  'x-roles': routeRoles.view,
  'x-page': true,
  tags: ['Pages'],
  summary: 'The stylesheet of the pages',
  responses: { 200: { description: 'CSS.', content: { 'text/css': { schema: z.string() } } }, ...problems() },
});

/** Adds the OpenAPI document, its page, and the stylesheet of all pages. The document is generated with the first request, when all routes are registered. */
export function addDocumentationRoutes(app: ServerApp, version: string): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token. Each operation lists the roles that may use it in `x-roles`.',
  });
  let document: OpenApiDocument | undefined;
  let text: string | undefined;
  const getDocument = (): OpenApiDocument =>
    (document ??= app.getOpenAPI31Document({
      openapi: '3.1.0',
      info: {
        title: 'Signalbox',
        version,
        description:
          'A gateway for the tool calls of AI agents. Errors are `Problem` documents (RFC 9457) with a stable `code`. MCP clients are served at `/mcp`.',
        license: { name: 'MIT' },
      },
      security: [{ token: [] }],
      tags: tags.map((name) => ({ name })),
    }));
  app.openapi(openApiRoute, (context) =>
    serializedJson(context, jsonObject, (text ??= JSON.stringify(getDocument())), 200),
  );
  app.openapi(docsRoute, (context) => context.html(docsPage(getDocument())));
  app.openapi(styleRoute, (context) => context.body(stylesheet, 200, { 'Content-Type': 'text/css; charset=utf-8' }));
}
