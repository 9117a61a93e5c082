import { createRoute } from '@hono/zod-openapi';
import { durationSyntax, parseDurationMs } from '../../../core/text/duration.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { Problem } from '../../problems/problem.ts';
import { idParams, jsonBody, jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { createdTokenSchema, tokenPageSchema, tokenRequestSchema, tokenSchema } from '../../schemas/token-schemas.ts';
import { json } from '../../http/json-response.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';

const tags = ['Access'];

const listRoute = createRoute({
  method: 'get',
  path: '/api/tokens',
  'x-roles': routeRoles.change,
  tags,
  summary: 'List access tokens',
  responses: { 200: jsonResponse('Newest first.', tokenPageSchema), ...problems(503) },
});

const revokeRoute = createRoute({
  method: 'delete',
  path: '/api/tokens/{id}',
  'x-roles': routeRoles.change,
  tags,
  summary: 'Revoke a token',
  description: 'Takes effect at once. Open requests with the token end within two seconds.',
  request: { params: idParams },
  responses: { 200: jsonResponse('The revoked token.', tokenSchema), ...problems(404, 503) },
});

const createTokenRoute = createRoute({
  method: 'post',
  path: '/api/tokens',
  'x-roles': routeRoles.change,
  tags,
  summary: 'Create a token',
  middleware: readJsonBody(),
  request: { body: jsonBody(tokenRequestSchema) },
  responses: {
    201: jsonResponse('The token, which is returned only once.', createdTokenSchema),
    ...problems(400, 413, 415, 422, 503),
  },
});

/** Adds the routes that manage access tokens. */
export function addTokenRoutes(app: ServerApp, { tokens }: InternalSignalbox): void {
  app.openapi(listRoute, async (context) => json(context, tokenPageSchema, { items: await tokens.list() }, 200));

  app.openapi(createTokenRoute, async (context) => {
    const { expires, ...request } = context.req.valid('json');
    const expiresInMs = expires === undefined ? undefined : parseDurationMs(expires);
    if (expires !== undefined && expiresInMs === undefined)
      throw new Problem('request-invalid', `body.expires: expected ${durationSyntax}`);
    const created = await tokens.create({ ...omitUndefined({ ...request, expiresInMs }), by: context.var.principal });
    return json(context, createdTokenSchema, created, 201);
  });

  app.openapi(revokeRoute, async (context) => {
    const revoked = await tokens.revoke(context.req.valid('param').id, { by: context.var.principal });
    return json(context, tokenSchema, revoked, 200);
  });
}
