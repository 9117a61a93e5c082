import { createRoute, z } from '@hono/zod-openapi';
import type { ServerProvenance } from '../../../catalog/snapshot.ts';
import { SignalboxError } from '../../../core/errors.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { toServer } from '../tools/catalog-document.ts';
import { profileFor } from '../../access/identity.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp, ServerContext } from '../../http/server-context.ts';
import { serverDetailsSchema, serverStateSchema } from '../../schemas/catalog-schemas.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import type { ServedConfiguration } from './served-configuration.ts';
import { json } from '../../http/json-response.ts';

const pageSchema = z.object({ items: z.array(serverStateSchema).readonly() }).openapi('ServerPage');
const params = z.object({ name: z.string().openapi({ example: 'signalbox' }) });
const state = {
  description: 'The updated server.',
  content: { 'application/json': { schema: serverStateSchema } },
};
const temporaryChange = 'Applies until the entry changes or Signalbox restarts. The configuration file is not changed.';

const listRoute = createRoute({
  method: 'get',
  path: '/api/servers',
  'x-roles': routeRoles.look,
  tags: ['Servers'],
  summary: 'List servers',
  responses: {
    200: { description: 'All servers.', content: { 'application/json': { schema: pageSchema } } },
    ...problems(),
  },
});

const oneRoute = createRoute({
  method: 'get',
  path: '/api/servers/{name}',
  'x-roles': routeRoles.read,
  tags: ['Servers'],
  summary: 'Get a server with its recent log',
  request: { params },
  responses: {
    200: { description: 'The server.', content: { 'application/json': { schema: serverDetailsSchema } } },
    ...problems(404),
  },
});

const enableRoute = createRoute({
  method: 'post',
  path: '/api/servers/{name}/enable',
  'x-roles': routeRoles.change,
  tags: ['Servers'],
  summary: 'Enable a server',
  description: temporaryChange,
  request: { params },
  responses: { 200: state, ...problems(404) },
});

const disableRoute = createRoute({
  method: 'post',
  path: '/api/servers/{name}/disable',
  'x-roles': routeRoles.change,
  tags: ['Servers'],
  summary: 'Disable a server',
  description: temporaryChange,
  request: { params },
  responses: { 200: state, ...problems(404) },
});

const restartRoute = createRoute({
  method: 'post',
  path: '/api/servers/{name}/restart',
  'x-roles': routeRoles.change,
  tags: ['Servers'],
  summary: 'Restart a server',
  description:
    'Ends its process or connection and creates a new one. Running calls of the server end. Returns when the attempt succeeded or failed: read `health`.',
  request: { params },
  responses: { 200: state, ...problems(404, 409) },
});

export function addServerRoutes(
  app: ServerApp,
  box: InternalSignalbox,
  configuration: ServedConfiguration | undefined,
): void {
  const record = ({ var: { principal } }: ServerContext, detail: string): void =>
    box.recordConfiguration({ status: 'applied', by: principal, details: [detail] });

  app.openapi(listRoute, (context) => {
    const items = box.catalog(profileFor(context.var.identity)).servers.map((server) => toState(box, server));
    return json(context, pageSchema, { items }, 200);
  });

  app.openapi(oneRoute, (context) => {
    const { name } = context.req.valid('param');
    const server = stateOf(box, name);
    const signIn = configuration?.signInState(name);
    const details = {
      ...server,
      ...(signIn === undefined ? {} : { signIn: { ...signIn, since: new Date(signIn.since).toISOString() } }),
      configured: configuration?.has(name) ?? false,
      stderr: box.servers.health(name)?.stderr ?? [],
    };
    return json(context, serverDetailsSchema, details, 200);
  });

  app.openapi(enableRoute, async (context) => {
    const { name } = context.req.valid('param');
    if (configuration === undefined) box.servers.enable(name);
    else await configuration.enable(name);
    record(context, `enabled ${name}`);
    return json(context, serverStateSchema, stateOf(box, name), 200);
  });

  app.openapi(disableRoute, (context) => {
    const { name } = context.req.valid('param');
    box.servers.disable(name);
    record(context, `disabled ${name}`);
    return json(context, serverStateSchema, stateOf(box, name), 200);
  });

  app.openapi(restartRoute, async (context) => {
    const { name } = context.req.valid('param');
    await box.servers.restart(name);
    record(context, `restarted ${name}`);
    return json(context, serverStateSchema, stateOf(box, name), 200);
  });
}

function stateOf(box: InternalSignalbox, name: string): z.output<typeof serverStateSchema> {
  const server = box.catalog().servers.find((candidate) => candidate.name === name);
  if (server === undefined) throw new SignalboxError('server-unknown', `no server is named "${name}"`);
  return toState(box, server);
}

function toState(box: InternalSignalbox, server: ServerProvenance): z.output<typeof serverStateSchema> {
  const health = box.servers.health(server.name);
  if (health === undefined) return toServer(server);
  const { state: current, since, lastError, nextRetryAt, restarts, protocolVersion, serverInfo } = health;
  return {
    ...toServer(server),
    health: {
      state: current,
      since: new Date(since).toISOString(),
      ...(lastError === undefined ? {} : { lastError }),
      ...(nextRetryAt === undefined ? {} : { nextRetryAt: new Date(nextRetryAt).toISOString() }),
      restarts,
      ...(protocolVersion === undefined ? {} : { protocolVersion }),
      ...(serverInfo === undefined ? {} : { serverInfo }),
    },
  };
}
