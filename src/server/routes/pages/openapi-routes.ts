import { createRoute } from '@hono/zod-openapi';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { jsonObject } from '../../schemas/json-schemas.ts';
import { jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { serializedJson } from '../../http/json-response.ts';

/** An OpenAPI document. */
export type OpenApiDocument = ReturnType<ServerApp['getOpenAPI31Document']>;

const route = createRoute({
  method: 'get',
  path: '/openapi.json',
  'x-roles': routeRoles.look,
  'x-page': true,
  tags: ['Documentation'],
  summary: 'Get the OpenAPI 3.1 document of this API',
  responses: { 200: jsonResponse('The document.', jsonObject), ...problems() },
});

/** Serves the OpenAPI document of the routes. It is generated with the first request, when all routes are registered. */
export function addOpenApiRoute(app: ServerApp, version: string): () => OpenApiDocument {
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
      tags: [
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
      ].map((name) => ({
        name,
      })),
    }));
  app.openapi(route, (context) => serializedJson(context, jsonObject, (text ??= JSON.stringify(getDocument())), 200));
  return getDocument;
}
