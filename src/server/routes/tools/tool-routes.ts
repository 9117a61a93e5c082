import { createRoute, z } from '@hono/zod-openapi';
import { nameHiddenTool } from '../../../catalog/snapshot.ts';
import { findNamed } from '../../../core/tools/tool-names.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { createCatalogDocuments } from './catalog-document.ts';
import { profileFor } from '../../access/identity.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { Problem } from '../../problems/problem.ts';
import { catalogSchema, toolSchema } from '../../schemas/catalog-schemas.ts';
import { jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { json, serializedJson } from '../../http/json-response.ts';

const listRoute = createRoute({
  method: 'get',
  path: '/api/tools',
  'x-roles': routeRoles.view,
  tags: ['Tools'],
  summary: 'List tools and servers',
  request: {
    headers: z.object({ 'if-none-match': z.string().optional() }),
    query: z.object({ profile: z.string().optional().describe('Only the tools of this profile.') }),
  },
  responses: {
    200: {
      ...jsonResponse('The catalog, including hidden tools with reasons.', catalogSchema),
      headers: z.object({ ETag: z.string().describe('Changes with the catalog.') }),
    },
    304: { description: 'The catalog has not changed since `If-None-Match`.' },
    ...problems(404),
  },
});

const oneRoute = createRoute({
  method: 'get',
  path: '/api/tools/{name}',
  'x-roles': routeRoles.view,
  tags: ['Tools'],
  summary: 'Get a tool',
  request: { params: z.object({ name: z.string().openapi({ example: 'mcp__signalbox__ping' }) }) },
  responses: { 200: jsonResponse('The tool.', toolSchema), ...problems(404) },
});

export function addToolRoutes(app: ServerApp, box: InternalSignalbox): void {
  const catalog = createCatalogDocuments(box);

  app.openapi(listRoute, (context) => {
    const { text, etag } = catalog(profileFor(context.var.identity, context.req.valid('query').profile).profile);
    context.header('ETag', etag);
    if (context.req.header('if-none-match') === etag) return context.body(null, 304);
    return serializedJson(context, catalogSchema, text, 200);
  });

  app.openapi(oneRoute, (context) => {
    const { name } = context.req.valid('param');
    const { tools, hidden } = box.catalog(profileFor(context.var.identity));
    const tool = findNamed(tools, name);
    if (tool !== undefined) return json(context, toolSchema, tool, 200);
    const named = findNamed(hidden.map(nameHiddenTool), name)?.name;
    const reason = hidden.find((candidate) => candidate.name === named)?.reason;
    throw new Problem(
      'tool-unknown',
      reason === undefined ? 'the catalog has no tool with this name' : `the tool is hidden: ${reason}`,
    );
  });
}
