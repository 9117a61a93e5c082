import { createRoute, z } from '@hono/zod-openapi';
import { type ContentReader, contentReader } from '../../../pipeline/box-content.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { profileFor } from '../../access/identity.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp, ServerContext } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { jsonBody, jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { promptReference, resourceReference } from '../../schemas/session-schemas.ts';
import { json } from '../../http/json-response.ts';

const described = { server: z.string(), name: z.string().optional(), description: z.string().optional() };
const resourceSchema = z
  .looseObject({ ...described, uri: z.string(), mimeType: z.string().optional() })
  .openapi('Resource');
const templateSchema = z
  .looseObject({ ...described, uriTemplate: z.string(), mimeType: z.string().optional() })
  .openapi('ResourceTemplate');
const promptSchema = z
  .looseObject({
    ...described,
    name: z.string(),
    arguments: z
      .array(z.looseObject({ name: z.string(), description: z.string().optional(), required: z.boolean().optional() }))
      .optional(),
  })
  .openapi('Prompt');
const resourcesSchema = z.object({ items: z.array(resourceSchema), templates: z.array(templateSchema) });
const promptsSchema = z.object({ items: z.array(promptSchema) });

const contentsSchema = z
  .looseObject({ contents: z.array(z.looseObject({ uri: z.string().optional() })) })
  .openapi('ResourceContents', { description: 'The response of the server, as defined by MCP.' });
const messagesSchema = z
  .looseObject({ messages: z.array(z.looseObject({ role: z.string() })) })
  .openapi('PromptMessages', { description: 'The response of the server, as defined by MCP.' });

const tags = ['Resources and prompts'];

const resourcesRoute = createRoute({
  method: 'get',
  path: '/api/resources',
  'x-roles': routeRoles.view,
  tags,
  summary: 'List resources and resource templates',
  responses: { 200: jsonResponse('The list of all servers that are up.', resourcesSchema), ...problems(404) },
});

const promptsRoute = createRoute({
  method: 'get',
  path: '/api/prompts',
  'x-roles': routeRoles.view,
  tags,
  summary: 'List prompts',
  responses: { 200: jsonResponse('The list of all servers that are up.', promptsSchema), ...problems(404) },
});

const readRoute = createRoute({
  method: 'post',
  path: '/api/resources/read',
  'x-roles': routeRoles.call,
  tags,
  summary: 'Read a resource',
  description:
    'Runs as a call of `mcp__SERVER__resources/read` with the argument `uri`, which the policy decides and the journal records. Returns 403 when it is denied, or awaits approval for more than a minute.',
  middleware: readJsonBody(),
  request: { body: jsonBody(resourceReference) },
  responses: {
    200: jsonResponse('The contents.', contentsSchema),
    ...problems(400, 403, 404, 409, 413, 415, 502, 503),
  },
});

const promptRoute = createRoute({
  method: 'post',
  path: '/api/prompts/get',
  'x-roles': routeRoles.call,
  tags,
  summary: 'Get a prompt',
  description:
    'Runs as a call of `mcp__SERVER__prompts/get` with `name` and `arguments`, which the policy decides and the journal records. To start a turn with a prompt, send it as `prompt` of a message.',
  middleware: readJsonBody(),
  request: { body: jsonBody(promptReference) },
  responses: {
    200: jsonResponse('The messages of the prompt.', messagesSchema),
    ...problems(400, 403, 404, 409, 413, 415, 502, 503),
  },
});

/** Adds the routes that list and read resources and prompts. */
export function addContentRoutes(app: ServerApp, box: InternalSignalbox): void {
  app.openapi(resourcesRoute, (context) => {
    const reader = readerFor(box, context);
    const lists = { items: [...reader.resources()], templates: [...reader.resourceTemplates()] };
    return json(context, resourcesSchema, lists, 200);
  });
  app.openapi(promptsRoute, (context) =>
    json(context, promptsSchema, { items: [...readerFor(box, context).prompts()] }, 200),
  );
  app.openapi(readRoute, async (context) => {
    const { server, uri } = context.req.valid('json');
    const result = await readerFor(box, context).readResource(server, uri, context.req.raw.signal);
    return json(context, contentsSchema, result as z.input<typeof contentsSchema>, 200);
  });
  app.openapi(promptRoute, async (context) => {
    const { server, name, arguments: args = {} } = context.req.valid('json');
    const result = await readerFor(box, context).getPrompt(server, name, args, context.req.raw.signal);
    return json(context, messagesSchema, result as z.input<typeof messagesSchema>, 200);
  });
}

/** Returns a reader for the caller of a request. */
export function readerFor(
  box: InternalSignalbox,
  { var: { principal, identity } }: ServerContext,
  session?: string,
): ContentReader {
  return contentReader(box, { principal, ...(session === undefined ? {} : { session }), ...profileFor(identity) });
}
