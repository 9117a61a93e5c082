import { createRoute, z } from '@hono/zod-openapi';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import { may } from '../access/may.ts';
import type { ServerApp } from '../environment.ts';
import { readJsonBody } from '../json-body.ts';
import { presentConfiguration } from '../present-configuration.ts';
import { acceptRequestSchema, lockSchema, standingSchema } from '../schemas/lock.ts';
import { problems } from '../schemas/problem.ts';
import type { ServedConfiguration } from '../served-configuration.ts';
import { json } from '../typed-json.ts';

const listRoute = createRoute({
  method: 'get',
  path: '/api/lock',
  'x-roles': may.read,
  tags: ['Lock'],
  summary: 'How the servers differ from what was accepted',
  responses: {
    200: { description: 'Every configured or locked server.', content: { 'application/json': { schema: lockSchema } } },
    ...problems(404, 409),
  },
});

/** What `signalbox lock` does on the command line, for the servers that run here. */
export function lockRoutes(
  app: ServerApp,
  box: InternalSignalbox,
  configuration: ServedConfiguration | undefined,
  maxBodyBytes: number,
): void {
  const acceptRoute = createRoute({
    method: 'post',
    path: '/api/lock/{server}/accept',
    'x-roles': may.change,
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
        content: { 'application/json': { schema: standingSchema } },
      },
      ...problems(400, 404, 409, 413, 415, 500),
    },
  });

  app.openapi(listRoute, (context) =>
    json(context, lockSchema, { items: presentConfiguration(configuration).lockStatuses() }, 200),
  );

  app.openapi(acceptRoute, async (context) => {
    const { server } = context.req.valid('param');
    const { seen, tool } = context.req.valid('json');
    const by = context.var.principal;
    const standing = await presentConfiguration(configuration).accept(server, {
      ...(seen === undefined ? {} : { seen }),
      ...(tool === undefined ? {} : { tool }),
    });
    const what = tool === undefined ? `the definitions of ${server}` : `the definition of ${tool} of ${server}`;
    box.recordConfiguration({ status: 'applied', by, details: [`accepted ${what}`] });
    return json(context, standingSchema, standing, 200);
  });
}
