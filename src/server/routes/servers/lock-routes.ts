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
  summary: 'How the servers differ from what was accepted',
  responses: {
    200: { description: 'Every configured or locked server.', content: { 'application/json': { schema: lockSchema } } },
    ...problems(404, 409),
  },
});

/** What `signalbox lock` does on the command line, for the servers that run here. */
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
    summary: 'Take over what a server says now',
    description:
      'Like `signalbox lock accept`, and holds at once: writes signalbox.lock, or the pin of a server that is not locked and has changed.',
    middleware: readJsonBody(maxBodyBytes),
    request: {
      params: z.object({ server: z.string().openapi({ example: 'files' }) }),
      body: { content: { 'application/json': { schema: acceptRequestSchema } } },
    },
    responses: {
      200: {
        description: 'How the server stood before it was accepted.',
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
    const standing = await requireConfiguration(configuration).accept(server, {
      ...(seen === undefined ? {} : { seen }),
      ...(tool === undefined ? {} : { tool }),
    });
    const what = tool === undefined ? `the definitions of ${server}` : `the definition of ${tool} of ${server}`;
    box.recordConfiguration({ status: 'applied', by, details: [`accepted ${what}`] });
    return json(context, serverLockStatusSchema, standing, 200);
  });
}
