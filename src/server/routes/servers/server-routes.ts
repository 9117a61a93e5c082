import { createRoute, z } from '@hono/zod-openapi';
import type { ServerSummary } from '../../../catalog/snapshot.ts';
import { SignalboxError } from '../../../core/errors.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { toServer } from '../tools/catalog-document.ts';
import { profileFor } from '../../access/identity.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { serverDetailsSchema, serverStateSchema } from '../../schemas/catalog-schemas.ts';
import { jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { type ServedConfiguration, recordChange } from './served-configuration.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { json } from '../../http/json-response.ts';

const pageSchema = z.object({ items: z.array(serverStateSchema).readonly() }).openapi('ServerPage');
const params = z.object({ name: z.string().openapi({ example: 'signalbox' }) });
const updated = jsonResponse('The updated server.', serverStateSchema);

const listRoute = createRoute({
  method: 'get',
  path: '/api/servers',
  'x-roles': routeRoles.view,
  tags: ['Servers'],
  summary: 'List servers',
  responses: { 200: jsonResponse('All servers.', pageSchema), ...problems() },
});

const oneRoute = createRoute({
  method: 'get',
  path: '/api/servers/{name}',
  'x-roles': routeRoles.read,
  tags: ['Servers'],
  summary: 'Get a server with its recent log',
  request: { params },
  responses: { 200: jsonResponse('The server.', serverDetailsSchema), ...problems(404) },
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
  responses: { 200: updated, ...problems(404, 409) },
});

function switchRoute<Action extends string>(action: Action, summary: string) {
  return createRoute({
    method: 'post',
    path: `/api/servers/{name}/${action}`,
    'x-roles': routeRoles.change,
    tags: ['Servers'],
    summary,
    description: 'Applies until the entry changes or Signalbox restarts. The configuration file is not changed.',
    request: { params },
    responses: { 200: updated, ...problems(404) },
  });
}

/** Adds the routes that list, enable, disable and restart servers. */
export function addServerRoutes(
  app: ServerApp,
  box: InternalSignalbox,
  configuration: ServedConfiguration | undefined,
): void {
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

  app.openapi(switchRoute('enable', 'Enable a server'), async (context) => {
    const { name } = context.req.valid('param');
    if (configuration === undefined) box.servers.enable(name);
    else await configuration.enable(name);
    recordChange(box, context, `enabled ${name}`);
    return json(context, serverStateSchema, stateOf(box, name), 200);
  });

  app.openapi(switchRoute('disable', 'Disable a server'), (context) => {
    const { name } = context.req.valid('param');
    box.servers.disable(name);
    recordChange(box, context, `disabled ${name}`);
    return json(context, serverStateSchema, stateOf(box, name), 200);
  });

  app.openapi(restartRoute, async (context) => {
    const { name } = context.req.valid('param');
    await box.servers.restart(name);
    recordChange(box, context, `restarted ${name}`);
    return json(context, serverStateSchema, stateOf(box, name), 200);
  });
}

function stateOf(box: InternalSignalbox, name: string): z.output<typeof serverStateSchema> {
  const server = box.catalog().servers.find((candidate) => candidate.name === name);
  if (server === undefined) throw new SignalboxError('server-unknown', `no server is named "${name}"`);
  return toState(box, server);
}

function toState(box: InternalSignalbox, server: ServerSummary): z.output<typeof serverStateSchema> {
  const health = box.servers.health(server.name);
  if (health === undefined) return toServer(server);
  const { state, since, lastError, nextRetryAt: retryAt, restarts, protocolVersion, serverInfo } = health;
  const nextRetryAt = retryAt === undefined ? undefined : new Date(retryAt).toISOString();
  const known = omitUndefined({ lastError, nextRetryAt, protocolVersion, serverInfo });
  return { ...toServer(server), health: { state, since: new Date(since).toISOString(), restarts, ...known } };
}
