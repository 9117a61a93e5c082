import { createRoute, z } from '@hono/zod-openapi';
import { isPermissiveMode } from '../../../core/calls/permission-mode.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { Problem } from '../../problems/problem.ts';
import { idParams, jsonBody, jsonResponse, problems } from '../../schemas/route-schemas.ts';
import {
  agentSchema,
  newSessionSchema,
  sessionChangeSchema,
  sessionSchema,
  transcriptSchema,
} from '../../schemas/session-schemas.ts';
import { type SessionAccess, assertModeAllowed } from './session-access.ts';
import { json } from '../../http/json-response.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { recordChange } from '../servers/served-configuration.ts';

const tags = ['Sessions'];
const agentPageSchema = z.object({ items: z.array(agentSchema).readonly() }).openapi('AgentPage');
const pageSchema = z
  .object({
    items: z.array(sessionSchema).readonly(),
    next: z.string().optional().describe('The `after` of the next page. Absent on the last page.'),
  })
  .openapi('SessionPage');

const agentsRoute = createRoute({
  method: 'get',
  path: '/api/agents',
  'x-roles': routeRoles.view,
  tags,
  summary: 'List agents',
  responses: { 200: jsonResponse('The agents of the configuration.', agentPageSchema), ...problems(404) },
});

const listRoute = createRoute({
  method: 'get',
  path: '/api/sessions',
  'x-roles': routeRoles.view,
  tags,
  summary: 'List sessions',
  description: 'Agents see their own sessions.',
  request: {
    query: z.strictObject({
      limit: z.coerce.number<string>().int().min(1).max(500).default(50),
      after: z.string().optional().describe('`next` of the previous page.'),
      cwd: z.string().optional(),
      owner: z.string().optional().describe('The id of a principal.'),
      active: z.stringbool().optional().describe('Only sessions with a running or queued turn.'),
    }),
  },
  responses: { 200: jsonResponse('Most recently active first.', pageSchema), ...problems(400, 404, 503) },
});

const getRoute = createRoute({
  method: 'get',
  path: '/api/sessions/{id}',
  'x-roles': routeRoles.view,
  tags,
  summary: 'Get a session',
  request: { params: idParams },
  responses: { 200: jsonResponse('The session.', sessionSchema), ...problems(404, 503) },
});

const deleteRoute = createRoute({
  method: 'delete',
  path: '/api/sessions/{id}',
  'x-roles': routeRoles.call,
  tags,
  summary: 'Delete a session',
  description: 'Interrupts its turns. The journal entries of its calls remain.',
  request: { params: idParams },
  responses: { 204: { description: 'The session was deleted.' }, ...problems(404, 503) },
});

const forkRoute = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/fork',
  'x-roles': routeRoles.call,
  tags,
  summary: 'Fork a session',
  description: 'Creates a session that continues from the current state. The original does not change.',
  request: { params: idParams },
  responses: { 201: jsonResponse('The new session.', sessionSchema), ...problems(404, 422, 503) },
});

const transcriptRoute = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/messages',
  'x-roles': routeRoles.view,
  tags,
  summary: 'Get the transcript of a session',
  description:
    'Returns all messages, or with `limit` the last ones, and with `before` those before a message. Viewers get them redacted like the journal.',
  request: {
    params: idParams,
    query: z.strictObject({
      limit: z.coerce.number<string>().int().min(1).max(1000).optional(),
      before: z.string().optional().describe('`before` of the previous response.'),
    }),
  },
  responses: { 200: jsonResponse('The transcript.', transcriptSchema), ...problems(400, 404, 503) },
});

const createSessionRoute = createRoute({
  method: 'post',
  path: '/api/sessions',
  'x-roles': routeRoles.call,
  tags,
  summary: 'Create a session',
  description: 'Agents may not choose the permission modes `acceptEdits` and `bypassPermissions`.',
  middleware: readJsonBody(),
  request: { body: jsonBody(newSessionSchema) },
  responses: {
    201: jsonResponse('The session; `Location` is its URL.', sessionSchema),
    ...problems(400, 404, 413, 415, 422, 503),
  },
});

const changeRoute = createRoute({
  method: 'patch',
  path: '/api/sessions/{id}',
  'x-roles': routeRoles.steer,
  tags,
  summary: 'Change the title or permission mode of a session',
  description:
    'Only approvers and admins may choose the permission modes `acceptEdits` and `bypassPermissions`. A changed mode is recorded in the journal (`ConfigurationChanged`).',
  middleware: readJsonBody(),
  request: { params: idParams, body: jsonBody(sessionChangeSchema) },
  responses: {
    200: jsonResponse('The updated session.', sessionSchema),
    ...problems(400, 404, 413, 415, 422, 503),
  },
});

/** Adds the routes that create, list, change, fork and delete sessions. */
export function addSessionRoutes(app: ServerApp, box: InternalSignalbox, served: SessionAccess): void {
  app.openapi(agentsRoute, (context) => json(context, agentPageSchema, { items: served.all.agents() }, 200));

  app.openapi(listRoute, async (context) => {
    const page = await served.list(context.var.identity, omitUndefined(context.req.valid('query')));
    return json(context, pageSchema, page, 200);
  });

  app.openapi(createSessionRoute, async (context) => {
    const created = await served.create(context.var.identity, omitUndefined(context.req.valid('json')));
    const { id, permissionMode } = created;
    if (isPermissiveMode(permissionMode)) recordChange(box, context, `session ${id} was created in ${permissionMode}`);
    context.header('Location', `/api/sessions/${id}`);
    return json(context, sessionSchema, created, 201);
  });

  app.openapi(getRoute, async (context) =>
    json(context, sessionSchema, await served.one(context.var.identity, context.req.valid('param').id), 200),
  );

  app.openapi(changeRoute, async (context) => {
    const { id, permissionMode: before } = await served.one(context.var.identity, context.req.valid('param').id);
    const change = omitUndefined(context.req.valid('json'));
    assertModeAllowed(context.var.identity, change.permissionMode);
    const changed = await served.all.change(id, change);
    const { permissionMode: after } = changed;
    if (after !== before) recordChange(box, context, `permission mode of session ${id}: ${before} to ${after}`);
    return json(context, sessionSchema, changed, 200);
  });

  app.openapi(deleteRoute, async (context) => {
    const { id } = await served.one(context.var.identity, context.req.valid('param').id);
    await served.all.delete(id);
    return context.body(null, 204);
  });

  app.openapi(forkRoute, async (context) => {
    const { id, permissionMode } = await served.one(context.var.identity, context.req.valid('param').id);
    assertModeAllowed(context.var.identity, permissionMode);
    const forked = await served.all.fork(id, context.var.principal);
    context.header('Location', `/api/sessions/${forked.id}`);
    return json(context, sessionSchema, forked, 201);
  });

  app.openapi(transcriptRoute, async (context) => {
    const { id } = await served.one(context.var.identity, context.req.valid('param').id);
    const { limit = Infinity, before } = context.req.valid('query');
    const all = await served.transcript(context.var.identity, id);
    const end = before === undefined ? all.length : all.findIndex((message) => message.id === before);
    if (end === -1) throw new Problem('request-invalid', 'query.before: the session has no message with this id');
    const start = Math.max(0, end - limit);
    const first = all[start];
    const more = start === 0 || first === undefined ? {} : { before: first.id };
    return json(context, transcriptSchema, { items: all.slice(start, end), ...more }, 200);
  });
}
