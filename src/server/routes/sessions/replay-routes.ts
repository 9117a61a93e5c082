import { createRoute, z } from '@hono/zod-openapi';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { Problem } from '../../problems/problem.ts';
import { callErrorSchema, decisionSchema, outcome } from '../../schemas/call-schemas.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import { json } from '../../http/json-response.ts';

const requestSchema = z
  .strictObject({ text: z.string().optional().describe('The text of a `policies.yaml` to decide the calls by.') })
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
            .describe('What is not as it was: the outcome, what came back, or only what the given rules say of it.'),
          error: callErrorSchema.optional(),
          decision: decisionSchema.optional().describe('What is said of it now.'),
        }),
      )
      .readonly(),
    changed: z.int().describe('How many came out otherwise.'),
  })
  .openapi('Replay', { description: 'The calls of a session, then and now, in the order they ended.' });

/** What `signalbox replay` does on the command line. */
export function addReplayRoutes(app: ServerApp, box: InternalSignalbox, maxBodyBytes: number): void {
  const route = createRoute({
    method: 'post',
    path: '/api/sessions/{id}/replay',
    'x-roles': routeRoles.read,
    tags: ['Sessions'],
    summary: 'Run the recorded calls of a session against recorded results',
    description: 'Nothing outside is reached and nothing is written. Humans answer as they did.',
    middleware: readJsonBody(maxBodyBytes),
    request: {
      params: z.object({ id: z.string() }),
      body: { content: { 'application/json': { schema: requestSchema } } },
    },
    responses: {
      200: { description: 'What came of it.', content: { 'application/json': { schema: replaySchema } } },
      ...problems(400, 404, 413, 415, 503),
    },
  });

  app.openapi(route, async (context) => {
    const { text } = context.req.valid('json');
    const { id } = context.req.valid('param');
    // Imported when it is needed: it is for people who look back.
    const { recordedSession, replaySession } = await import('../../../testing/index.ts');
    const session = await recordedSession(box.journal, id);
    if (session.calls.length === 0)
      throw new Problem('session-unknown', `no call of a session ${JSON.stringify(id)} is in the journal`);
    const policies = text === undefined ? [] : [{ text, file: 'policies' }];
    const items: z.output<typeof replaySchema>['items'][number][] = [];
    for await (const { recorded, replayed, differs } of replaySession(session, { policies })) {
      context.req.raw.signal.throwIfAborted();
      const { callId, tool, outcome: then } = recorded;
      const { error, decision } = replayed;
      items.push({
        callId,
        tool,
        recorded: then,
        replayed: replayed.outcome,
        differs,
        ...(error === undefined ? {} : { error }),
        ...(decision === undefined ? {} : { decision }),
      });
    }
    const changed = items.filter(({ differs }) => differs !== 'no').length;
    return json(context, replaySchema, { items, changed }, 200);
  });
}
