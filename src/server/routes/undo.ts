import { createRoute, z } from '@hono/zod-openapi';
import type { Signalbox } from '../../signalbox.ts';
import { may } from '../access/may.ts';
import type { ServerApp } from '../environment.ts';
import { readJsonBody } from '../json-body.ts';
import { Problem } from '../problems/problem.ts';
import { fileChangeSchema } from '../schemas/call.ts';
import { conflictSchema } from '../schemas/journal.ts';
import { problems } from '../schemas/problem.ts';
import { json } from '../typed-json.ts';

const undoSchema = z
  .object({
    callId: z.string(),
    tool: z.string(),
    outcome: z.enum(['undone', 'partly-undone', 'conflict', 'failed']),
    changes: z.array(fileChangeSchema).readonly().describe('What the call had changed.'),
    conflicts: z.array(conflictSchema).readonly(),
    error: z.string().optional().describe('Why it failed: the tool’s own undo, or what stood in the way.'),
  })
  .openapi('UndoResult');

const requestSchema = z
  .strictObject({
    partial: z.boolean().optional().describe('Restore what nobody has changed since, and leave the rest.'),
    again: z
      .boolean()
      .optional()
      .describe('Run the tool’s own undo once more although it failed or was cut short before.'),
  })
  .openapi('UndoRequest');

/** Not for agents: no rule decides what is taken back. What it met on the way is a problem with one issue for each path. */
export function undoRoutes(app: ServerApp, box: Signalbox, maxBodyBytes: number): void {
  const route = createRoute({
    method: 'post',
    path: '/api/calls/{id}/undo',
    'x-roles': may.answer,
    tags: ['Record'],
    summary: 'Take back what a call changed',
    description: 'Where something was changed since, nothing is touched and the answer is `undo-conflict`.',
    middleware: readJsonBody(maxBodyBytes),
    request: {
      params: z.object({ id: z.string() }),
      body: { content: { 'application/json': { schema: requestSchema } } },
    },
    responses: {
      200: { description: 'What was taken back.', content: { 'application/json': { schema: undoSchema } } },
      ...problems(400, 404, 409, 413, 415, 503),
    },
  });

  app.openapi(route, async (context) => {
    const { partial = false, again = false } = context.req.valid('json');
    const { principal } = context.var;
    const result = await box.undo(context.req.valid('param').id, { partial, again, principal });
    if (result.outcome === 'conflict') {
      const issues = result.conflicts.map(({ path, reason }) => ({ path, message: reason }));
      throw new Problem('undo-conflict', `${issues.length} paths were changed since; nothing was touched`, { issues });
    }
    return json(context, undoSchema, result, 200);
  });
}
