import { createRoute, z } from '@hono/zod-openapi';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { jsonBody, jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { type ServedConfiguration, recordChange, requireConfiguration } from './served-configuration.ts';
import { json } from '../../http/json-response.ts';

const toolDiffSchema = z
  .discriminatedUnion('kind', [
    z.object({ tool: z.string(), kind: z.literal('added'), suspicions: z.array(z.string()).readonly() }),
    z.object({ tool: z.string(), kind: z.literal('removed') }),
    z.object({
      tool: z.string(),
      kind: z.literal('changed'),
      differences: z
        .array(
          z.object({
            text: z.string().describe('The difference as a sentence.'),
            short: z.string().describe('The same without text from the server.'),
            weaker: z.boolean().describe('The new definition needs more trust than the accepted one.'),
          }),
        )
        .readonly(),
    }),
  ])
  .openapi('ToolDiff', { description: 'A difference between a tool and its accepted definition.' });

const serverLockStatusSchema = z
  .object({
    server: z.string(),
    status: z
      .enum(['unlocked', 'unchanged', 'changed', 'down', 'disabled', 'missing'])
      .describe('`missing`: locked, but no longer configured.'),
    isLocked: z.boolean(),
    isPinned: z
      .boolean()
      .describe(
        'The server is not locked, but its definitions were pinned on first use: calls of changed tools need approval until the change is accepted.',
      ),
    tools: z.int().describe('The number of its tools.'),
    reason: z.string().optional().describe('Why the server is down.'),
    diff: z
      .object({
        server: z.string(),
        instructions: z
          .object({
            kind: z.enum(['added', 'removed', 'changed']),
            text: z.string().describe('The difference as readable text.'),
          })
          .optional()
          .describe('The difference of the server’s instructions for models, which are withheld until accepted.'),
        tools: z.array(toolDiffSchema).readonly(),
      })
      .optional(),
    fingerprint: z.string().optional().describe('Identifies the current definitions: send it as `seen`.'),
  })
  .openapi('ServerStanding', {
    description:
      'The difference between a server and signalbox.lock or, when it is not locked, its pinned definitions.',
  });

const lockSchema = z.object({ items: z.array(serverLockStatusSchema).readonly() }).openapi('Lock');

const acceptRequestSchema = z
  .strictObject({
    seen: z
      .string()
      .optional()
      .describe('The reviewed fingerprint: the request is refused when the definitions have changed since.'),
    tool: z
      .string()
      .optional()
      .describe(
        'Accepts only this tool, by its name on the server. Not for a server that is neither locked nor changed.',
      ),
  })
  .openapi('AcceptRequest');

const listRoute = createRoute({
  method: 'get',
  path: '/api/lock',
  'x-roles': routeRoles.read,
  tags: ['Lock'],
  summary: 'Compare servers with their accepted definitions',
  responses: { 200: jsonResponse('Every configured or locked server.', lockSchema), ...problems(404, 409) },
});

const acceptRoute = createRoute({
  method: 'post',
  path: '/api/lock/{server}/accept',
  'x-roles': routeRoles.change,
  tags: ['Lock'],
  summary: 'Accept the current definitions of a server',
  description:
    'Like `signalbox lock accept`, effective at once: writes signalbox.lock, or the pin of a changed server that is not locked.',
  middleware: readJsonBody(),
  request: {
    params: z.object({ server: z.string().openapi({ example: 'files' }) }),
    body: jsonBody(acceptRequestSchema),
  },
  responses: {
    200: jsonResponse('The state of the server before the change.', serverLockStatusSchema),
    ...problems(400, 404, 409, 413, 415, 500),
  },
});

/** Adds the routes that show and accept tool definitions, like `signalbox lock`. */
export function addLockRoutes(
  app: ServerApp,
  box: InternalSignalbox,
  configuration: ServedConfiguration | undefined,
): void {
  app.openapi(listRoute, (context) =>
    json(context, lockSchema, { items: requireConfiguration(configuration).lockStatuses() }, 200),
  );

  app.openapi(acceptRoute, async (context) => {
    const { server } = context.req.valid('param');
    const only = omitUndefined(context.req.valid('json'));
    const { tool } = only;
    const lockStatus = await requireConfiguration(configuration).accept(server, only);
    const accepted = tool === undefined ? `the definitions of ${server}` : `the definition of ${tool} of ${server}`;
    recordChange(box, context, `accepted ${accepted}`);
    return json(context, serverLockStatusSchema, lockStatus, 200);
  });
}
