import { createRoute, z } from '@hono/zod-openapi';
import type { UndoOptions } from '../../../pipeline/undo/undo-calls.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp, ServerContext } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { Problem } from '../../problems/problem.ts';
import { fileChangeSchema } from '../../schemas/call-schemas.ts';
import { conflictSchema } from '../../schemas/journal-schemas.ts';
import { idParams, jsonBody, jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { json } from '../../http/json-response.ts';

const undoSchema = z
  .object({
    callId: z.string(),
    tool: z.string(),
    outcome: z.enum(['undone', 'partly-undone', 'conflict', 'failed']),
    changes: z.array(fileChangeSchema).readonly().describe('The changes of the call.'),
    conflicts: z.array(conflictSchema).readonly(),
    error: z.string().optional().describe('Why the undo failed.'),
  })
  .openapi('UndoResult');

const requestSchema = z
  .strictObject({
    partial: z.boolean().optional().describe('Restores files without later changes, and skips the rest.'),
    again: z
      .boolean()
      .optional()
      .describe('Runs the undo function of the tool again after it failed or was interrupted.'),
    waitSeconds: z
      .number()
      .min(0)
      .max(3600)
      .optional()
      .describe('How long to wait for running calls in the same workspace, in seconds (60).'),
  })
  .openapi('UndoRequest');

const undoPageSchema = z.object({ items: z.array(undoSchema).readonly() }).openapi('UndoResults');

const route = createRoute({
  method: 'post',
  path: '/api/calls/{id}/undo',
  'x-roles': routeRoles.answer,
  tags: ['Record'],
  summary: 'Undo a call',
  description: 'When a file has later changes, nothing is changed and the response is `undo-conflict`.',
  middleware: readJsonBody(),
  request: { params: idParams, body: jsonBody(requestSchema) },
  responses: { 200: jsonResponse('The result of the undo.', undoSchema), ...problems(400, 404, 409, 413, 415, 503) },
});

const sessionRoute = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/undo',
  'x-roles': routeRoles.answer,
  tags: ['Record'],
  summary: 'Undo all calls of a session',
  description:
    'Undoes the last call first, and stops at a call that cannot be undone: see the `outcome` of the last item. Works for any session name that calls used.',
  middleware: readJsonBody(),
  request: { params: idParams, body: jsonBody(requestSchema) },
  responses: { 200: jsonResponse('The result of the undo.', undoPageSchema), ...problems(400, 413, 415, 503) },
});

/** Adds the routes that undo calls. Not for agents, because no rule decides about an undo. A conflict is a problem with an issue for each path. */
export function addUndoRoutes(app: ServerApp, box: InternalSignalbox): void {
  app.openapi(route, async (context) => {
    const result = await box.undo.call(context.req.valid('param').id, undoOptions(context, context.req.valid('json')));
    if (result.outcome === 'conflict') {
      const issues = result.conflicts.map(({ path, reason }) => ({ path, message: reason }));
      throw new Problem('undo-conflict', `${issues.length} paths have later changes; nothing was undone`, { issues });
    }
    return json(context, undoSchema, result, 200);
  });

  app.openapi(sessionRoute, async (context) => {
    const { id } = context.req.valid('param');
    const items = await box.undo.session(id, undoOptions(context, context.req.valid('json')));
    return json(context, undoPageSchema, { items }, 200);
  });
}

function undoOptions(context: ServerContext, body: z.output<typeof requestSchema>): UndoOptions {
  const { partial = false, again = false, waitSeconds } = body;
  const waitMs = waitSeconds === undefined ? undefined : waitSeconds * 1000;
  return {
    partial,
    again,
    principal: context.var.principal,
    signal: context.req.raw.signal,
    ...omitUndefined({ waitMs }),
  };
}
