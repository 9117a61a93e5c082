import { createRoute, z } from '@hono/zod-openapi';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { acceptRequestSchema, lockSchema, serverLockStatusSchema } from '../../schemas/lock-schemas.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import { type ServedConfiguration, requireConfiguration } from './served-configuration.ts';
import { json } from '../../http/json-response.ts';

const listRoute = createRoute({
  method: 'get',
  path: '/api/lock',
  'x-roles': routeRoles.read,
  tags: ['Lock'],
  summary: 'Compare servers with their accepted definitions',
  responses: {
    200: { description: 'Every configured or locked server.', content: { 'application/json': { schema: lockSchema } } },
    ...problems(404, 409),
  },
});

/** Adds the routes that show and accept tool definitions, like `signalbox lock`. */
export function addLockRoutes(
  app: ServerApp,
  box: InternalSignalbox,
  configuration: ServedConfiguration | undefined,
  maxBodyBytes: number,
): void {
  const acceptRoute = createRoute({
    method: 'post',
    path: '/api/lock/{server}/accept',
    'x-roles': routeRoles.change,
    tags: ['Lock'],
    summary: 'Accept the current definitions of a server',
    description:
      'Like `signalbox lock accept`, effective at once: writes signalbox.lock, or the pin of a changed server that is not locked.',
    middleware: readJsonBody(maxBodyBytes),
    request: {
      params: z.object({ server: z.string().openapi({ example: 'files' }) }),
      body: { content: { 'application/json': { schema: acceptRequestSchema } } },
    },
    responses: {
      200: {
        description: 'The state of the server before the change.',
        content: { 'application/json': { schema: serverLockStatusSchema } },
      },
      ...problems(400, 404, 409, 413, 415, 500),
    },
  });

  app.openapi(listRoute, (context) =>
    json(context, lockSchema, { items: requireConfiguration(configuration).lockStatuses() }, 200),
  );

  app.openapi(acceptRoute, async (context) => {
    const { server } = context.req.valid('param');
    const { seen, tool } = context.req.valid('json');
    const by = context.var.principal;
    const lockStatus = await requireConfiguration(configuration).accept(server, {
      ...(seen === undefined ? {} : { seen }),
      ...(tool === undefined ? {} : { tool }),
    });
    const accepted = tool === undefined ? `the definitions of ${server}` : `the definition of ${tool} of ${server}`;
    box.recordConfiguration({ status: 'applied', by, details: [`accepted ${accepted}`] });
    return json(context, serverLockStatusSchema, lockStatus, 200);
  });
}
