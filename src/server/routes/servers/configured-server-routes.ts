import { createRoute, z } from '@hono/zod-openapi';
import type { JsonObject } from '../../../core/json/json.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { jsonObject, timestamp } from '../../schemas/json-schemas.ts';
import { jsonBody, jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { type ServedConfiguration, recordChange, requireConfiguration } from './served-configuration.ts';
import { json } from '../../http/json-response.ts';

const params = z.object({ name: z.string().openapi({ example: 'search' }) });

const changedSchema = z
  .object({
    servers: z.array(z.string()).readonly().describe('The added servers.'),
    notes: z.array(z.string()).readonly().describe('Notes about stored secrets and remaining steps.'),
  })
  .openapi('ChangedServers');

const foundSchema = z
  .object({
    items: z
      .array(
        z.object({
          name: z.string().describe('The name it would get.'),
          entry: jsonObject.describe('The configuration entry, with references instead of secrets.'),
          from: z.array(z.object({ client: z.string(), file: z.string() })).readonly(),
          notes: z.array(z.string()).readonly(),
          secrets: z.array(z.string()).readonly().describe('The names of the secrets that would be stored encrypted.'),
        }),
      )
      .readonly(),
  })
  .openapi('FoundServers');

const signInSchema = z
  .object({
    url: z.string().describe('The URL to open. The browser is redirected to a loopback address of this machine.'),
    since: timestamp,
  })
  .openapi('BegunSignIn');

const newServerSchema = z
  .strictObject({
    name: z.string().min(1).max(100),
    entry: jsonObject
      .describe('The entry as under `mcpServers` in the configuration.')
      .openapi({ example: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] } }),
  })
  .openapi('NewServer');

const takeOverSchema = z.strictObject({ names: z.array(z.string()).min(1).max(200) }).openapi('TakeOver');

const removeRoute = createRoute({
  method: 'delete',
  path: '/api/servers/{name}',
  'x-roles': routeRoles.change,
  tags: ['Servers'],
  summary: 'Remove a server from the configuration',
  description: 'Running calls of the server may end. The rest of the file does not change.',
  request: { params },
  responses: { 204: { description: 'The server was removed.' }, ...problems(404, 409, 500) },
});

const foundRoute = createRoute({
  method: 'get',
  path: '/api/import',
  'x-roles': routeRoles.change,
  tags: ['Servers'],
  summary: 'List importable servers of other clients on this machine',
  description: 'Writes nothing. Servers that are in the configuration already are omitted.',
  responses: { 200: jsonResponse('The importable servers.', foundSchema), ...problems(404, 500) },
});

const signInRoute = createRoute({
  method: 'post',
  path: '/api/servers/{name}/sign-in',
  'x-roles': routeRoles.change,
  tags: ['Servers'],
  summary: 'Start the OAuth sign-in to a server',
  description:
    'Open `url` in a browser on this machine within five minutes. `signIn` of the server has the result. The server then reconnects automatically.',
  request: { params },
  responses: { 200: jsonResponse('The sign-in URL.', signInSchema), ...problems(404, 409, 502) },
});

const addRoute = createRoute({
  method: 'post',
  path: '/api/servers',
  'x-roles': routeRoles.change,
  tags: ['Servers'],
  summary: 'Add a server to the configuration and start it',
  description:
    'Writes the configuration file. Secrets in the entry are stored encrypted, and the file contains references to them. The server is still connecting when the response is sent: read its state for the result.',
  middleware: readJsonBody(),
  request: { body: jsonBody(newServerSchema) },
  responses: { 201: jsonResponse('The server was added.', changedSchema), ...problems(400, 404, 409, 413, 415, 500) },
});

const importRoute = createRoute({
  method: 'post',
  path: '/api/import',
  'x-roles': routeRoles.change,
  tags: ['Servers'],
  summary: 'Import servers of other clients',
  description: 'Like `signalbox import`. The files of other clients are never changed.',
  middleware: readJsonBody(),
  request: { body: jsonBody(takeOverSchema) },
  responses: {
    200: jsonResponse('The servers were imported.', changedSchema),
    ...problems(400, 404, 409, 413, 415, 500),
  },
});

/** Adds the routes that add, remove, import and sign in to configured servers, like the commands of the same names. */
export function addConfiguredServerRoutes(
  app: ServerApp,
  box: InternalSignalbox,
  configuration: ServedConfiguration | undefined,
): void {
  const configured = (): ServedConfiguration => requireConfiguration(configuration);

  app.openapi(addRoute, async (context) => {
    const { name, entry } = context.req.valid('json');
    const added = await configured().addServer(name, entry as JsonObject);
    recordChange(box, context, `added ${name} to the configuration`);
    return json(context, changedSchema, added, 201);
  });

  app.openapi(removeRoute, async (context) => {
    const { name } = context.req.valid('param');
    await configured().removeServer(name);
    recordChange(box, context, `removed ${name} from the configuration`);
    return context.body(null, 204);
  });

  app.openapi(foundRoute, async (context) => {
    const items = await configured().importableServers();
    return json(context, foundSchema, { items }, 200);
  });

  app.openapi(importRoute, async (context) => {
    const taken = await configured().importServers(context.req.valid('json').names);
    recordChange(box, context, `imported ${taken.servers.join(', ')} from other clients`);
    return json(context, changedSchema, taken, 200);
  });

  app.openapi(signInRoute, async (context) => {
    const url = await configured().signIn(context.req.valid('param').name);
    return json(context, signInSchema, { url: url.href, since: new Date().toISOString() }, 200);
  });
}
