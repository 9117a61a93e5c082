import { createRoute, z } from '@hono/zod-openapi';
import type { JsonObject } from '../../../core/json/json.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp, ServerContext } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { jsonObject, timestamp } from '../../schemas/json-schemas.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import { type ServedConfiguration, requireConfiguration } from './served-configuration.ts';
import { json } from '../../http/json-response.ts';

const params = z.object({ name: z.string().openapi({ example: 'search' }) });

const changedSchema = z
  .object({
    servers: z.array(z.string()).readonly().describe('The servers that were added.'),
    notes: z.array(z.string()).readonly().describe('What became of secrets, and what is still to be done.'),
  })
  .openapi('ChangedServers');

const foundSchema = z
  .object({
    items: z
      .array(
        z.object({
          name: z.string().describe('What it would be called here.'),
          entry: jsonObject.describe('As it would stand in the configuration: references in the place of secrets.'),
          from: z.array(z.object({ client: z.string(), file: z.string() })).readonly(),
          notes: z.array(z.string()).readonly(),
          secrets: z.array(z.string()).readonly().describe('The names of the secrets that would be kept encrypted.'),
        }),
      )
      .readonly(),
  })
  .openapi('FoundServers');

const signInSchema = z
  .object({
    url: z.string().describe('Where to send the person. The browser comes back to a loopback address of this machine.'),
    since: timestamp,
  })
  .openapi('BegunSignIn');

const newServerSchema = z
  .strictObject({
    name: z.string().min(1).max(100),
    entry: jsonObject
      .describe('As under `mcpServers` in the configuration.')
      .openapi({ example: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] } }),
  })
  .openapi('NewServer');

const takeOverSchema = z.strictObject({ names: z.array(z.string()).min(1).max(200) }).openapi('TakeOver');

const changed = (description: string) => ({
  description,
  content: { 'application/json': { schema: changedSchema } },
});

const removeRoute = createRoute({
  method: 'delete',
  path: '/api/servers/{name}',
  'x-roles': routeRoles.change,
  tags: ['Servers'],
  summary: 'Take a server out of the configuration',
  description: 'Its calls under way may end; the rest of the file stays as it is.',
  request: { params },
  responses: { 204: { description: 'It is gone.' }, ...problems(404, 409, 500) },
});

const foundRoute = createRoute({
  method: 'get',
  path: '/api/import',
  'x-roles': routeRoles.change,
  tags: ['Servers'],
  summary: 'The servers of other clients on this machine that could be taken over',
  description: 'Nothing is written. What the configuration has already is left out.',
  responses: {
    200: { description: 'What was found.', content: { 'application/json': { schema: foundSchema } } },
    ...problems(404, 500),
  },
});

const signInRoute = createRoute({
  method: 'post',
  path: '/api/servers/{name}/sign-in',
  'x-roles': routeRoles.change,
  tags: ['Servers'],
  summary: 'Begin to sign in at a server that is protected with OAuth',
  description:
    'Open `url` in a browser on this machine within five minutes. `signIn` of the server tells how it ends; the server is connected anew by itself.',
  request: { params },
  responses: {
    200: { description: 'Where to go.', content: { 'application/json': { schema: signInSchema } } },
    ...problems(404, 409, 502),
  },
});

/** What `add`, `remove`, `import` and `login` do on the command line, for the servers that run here. */
export function addConfiguredServerRoutes(
  app: ServerApp,
  box: InternalSignalbox,
  configuration: ServedConfiguration | undefined,
  maxBodyBytes: number,
): void {
  const present = (): ServedConfiguration => requireConfiguration(configuration);
  const record = ({ var: { principal } }: ServerContext, what: string): void =>
    box.recordConfiguration({ status: 'applied', by: principal, details: [what] });

  const addRoute = createRoute({
    method: 'post',
    path: '/api/servers',
    'x-roles': routeRoles.change,
    tags: ['Servers'],
    summary: 'Add a server to the configuration, and start it',
    description:
      'Writes the configuration file. Secrets in the entry are kept encrypted; references to them stand in the file. It is being connected when this answers: read it for how that went.',
    middleware: readJsonBody(maxBodyBytes),
    request: { body: { content: { 'application/json': { schema: newServerSchema } } } },
    responses: { 201: changed('It was added.'), ...problems(400, 404, 409, 413, 415, 500) },
  });
  const importRoute = createRoute({
    method: 'post',
    path: '/api/import',
    'x-roles': routeRoles.change,
    tags: ['Servers'],
    summary: 'Take over servers of other clients',
    description: 'Like `signalbox import`. The files of other clients are never written.',
    middleware: readJsonBody(maxBodyBytes),
    request: { body: { content: { 'application/json': { schema: takeOverSchema } } } },
    responses: { 200: changed('They were added.'), ...problems(400, 404, 409, 413, 415, 500) },
  });

  app.openapi(addRoute, async (context) => {
    const { name, entry } = context.req.valid('json');
    const added = await present().addServer(name, entry as JsonObject);
    record(context, `added ${name} to the configuration`);
    return json(context, changedSchema, added, 201);
  });

  app.openapi(removeRoute, async (context) => {
    const { name } = context.req.valid('param');
    await present().removeServer(name);
    record(context, `removed ${name} from the configuration`);
    return context.body(null, 204);
  });

  app.openapi(foundRoute, async (context) => {
    const items = await present().foundServers();
    return json(context, foundSchema, { items }, 200);
  });

  app.openapi(importRoute, async (context) => {
    const taken = await present().takeOver(context.req.valid('json').names);
    record(context, `took over ${taken.servers.join(', ')} from other clients`);
    return json(context, changedSchema, taken, 200);
  });

  app.openapi(signInRoute, async (context) => {
    const url = await present().signIn(context.req.valid('param').name);
    return json(context, signInSchema, { url: url.href, since: new Date().toISOString() }, 200);
  });
}
