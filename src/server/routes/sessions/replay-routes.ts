import { createRoute, z } from '@hono/zod-openapi';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { Problem } from '../../problems/problem.ts';
import { callErrorSchema, decisionSchema, outcome } from '../../schemas/call-schemas.ts';
import { idParams, jsonBody, jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { json } from '../../http/json-response.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';

const requestSchema = z
  .strictObject({ text: z.string().optional().describe('The text of a `policies.yaml` that decides the calls.') })
  .openapi('ReplayRequest');

const replaySchema = z
  .object({
    items: z
      .array(
        z.object({
          callId: z.string().describe('The recorded call.'),
          tool: z.string(),
          recorded: outcome,
          replayed: outcome,
          differs: z
            .enum(['no', 'outcome', 'content', 'decision'])
            .describe('The difference: in the outcome, in the content of the result, or only in the decision.'),
          error: callErrorSchema.optional(),
          decision: decisionSchema.optional().describe('The new decision.'),
        }),
      )
      .readonly(),
    changed: z.int().describe('The number of calls that differ.'),
  })
  .openapi('Replay', {
    description: 'The recorded and replayed calls of a session, in the order in which they ended.',
  });

const route = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/replay',
  'x-roles': routeRoles.read,
  tags: ['Sessions'],
  summary: 'Replay the calls of a session with recorded results',
  description: 'Runs no tools and writes nothing. Approvals are answered as recorded.',
  middleware: readJsonBody(),
  request: { params: idParams, body: jsonBody(requestSchema) },
  responses: { 200: jsonResponse('The result of the replay.', replaySchema), ...problems(400, 404, 413, 415, 503) },
});

/** Adds the route that replays a session, like `signalbox replay`. */
export function addReplayRoutes(app: ServerApp, box: InternalSignalbox): void {
  app.openapi(route, async (context) => {
    const { text } = context.req.valid('json');
    const { id } = context.req.valid('param');
    // Imported on demand, because it is rarely used.
    const { recordedSession, replaySession } = await import('../../../testing/index.ts');
    const session = await recordedSession(box.journal, id);
    if (session.calls.length === 0)
      throw new Problem('session-unknown', `the journal has no call of a session ${JSON.stringify(id)}`);
    const policies = text === undefined ? [] : [{ text, file: 'policies' }];
    const items: z.output<typeof replaySchema>['items'][number][] = [];
    for await (const { recorded, replayed, differs } of replaySession(session, { policies })) {
      context.req.raw.signal.throwIfAborted();
      const { callId, tool, outcome: before } = recorded;
      const { outcome: after, error, decision } = replayed;
      items.push({ callId, tool, recorded: before, replayed: after, differs, ...omitUndefined({ error, decision }) });
    }
    const changed = items.filter(({ differs }) => differs !== 'no').length;
    return json(context, replaySchema, { items, changed }, 200);
  });
}
