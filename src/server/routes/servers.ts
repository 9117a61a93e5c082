import { createRoute, z } from '@hono/zod-openapi';
import { SignalboxError } from '../../model/errors.ts';
import type { Signalbox } from '../../signalbox.ts';
import { toServer } from '../catalog-document.ts';
import type { ServerApp } from '../environment.ts';
import { serverSchema } from '../schemas/catalog.ts';
import { problems } from '../schemas/problem.ts';
import { json } from '../typed-json.ts';

const pageSchema = z.object({ items: z.array(serverSchema).readonly() }).openapi('ServerPage');
const params = z.object({ name: z.string().openapi({ example: 'signalbox' }) });
const changed = {
  200: { description: 'The server as it is now.', content: { 'application/json': { schema: serverSchema } } },
  ...problems(404),
};

const listRoute = createRoute({
  method: 'get',
  path: '/api/servers',
  tags: ['Servers'],
  summary: 'The mounted servers and how they are',
  responses: {
    200: { description: 'Every mounted server.', content: { 'application/json': { schema: pageSchema } } },
    ...problems(),
  },
});

const enableRoute = createRoute({
  method: 'post',
  path: '/api/servers/{name}/enable',
  tags: ['Servers'],
  summary: 'Offer a server’s tools again',
  request: { params },
  responses: changed,
});

const disableRoute = createRoute({
  method: 'post',
  path: '/api/servers/{name}/disable',
  tags: ['Servers'],
  summary: 'Hide a server’s tools',
  request: { params },
  responses: changed,
});

export function serverRoutes(app: ServerApp, box: Signalbox): void {
  app.openapi(listRoute, (context) => json(context, pageSchema, { items: box.catalog().servers.map(toServer) }, 200));

  app.openapi(enableRoute, (context) => {
    const { name } = context.req.valid('param');
    box.enable(name);
    return json(context, serverSchema, serverNamed(box, name), 200);
  });

  app.openapi(disableRoute, (context) => {
    const { name } = context.req.valid('param');
    box.disable(name);
    return json(context, serverSchema, serverNamed(box, name), 200);
  });
}

function serverNamed(box: Signalbox, name: string): z.output<typeof serverSchema> {
  const server = box.catalog().servers.find((candidate) => candidate.name === name);
  if (server === undefined) throw new SignalboxError('server-unknown', `no server is named "${name}"`);
  return toServer(server);
}
