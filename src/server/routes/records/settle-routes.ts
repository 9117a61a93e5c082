import { createRoute, z } from '@hono/zod-openapi';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { Problem } from '../../problems/problem.ts';
import { callEntrySchema, settledAs } from '../../schemas/journal-schemas.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import { json } from '../../http/json-response.ts';

const requestSchema = z
  .strictObject({ as: settledAs, note: z.string().max(1000).optional().describe('How the outcome was determined.') })
  .openapi('SettleRequest');

/** Adds the route that sets the outcome of a call, like `signalbox settle`. */
export function addSettleRoutes(app: ServerApp, box: InternalSignalbox, maxBodyBytes: number): void {
  const route = createRoute({
    method: 'post',
    path: '/api/calls/{id}/settle',
    'x-roles': routeRoles.answer,
    tags: ['Record'],
    summary: 'Set the outcome of a call whose outcome is unknown',
    description: 'Does not run the tool. Later calls with the same idempotency key get this outcome.',
    middleware: readJsonBody(maxBodyBytes),
    request: {
      params: z.object({ id: z.string() }),
      body: { content: { 'application/json': { schema: requestSchema } } },
    },
    responses: {
      200: { description: 'The settled call.', content: { 'application/json': { schema: callEntrySchema } } },
      ...problems(400, 404, 409, 413, 415, 503),
    },
  });

  app.openapi(route, async (context) => {
    const { id } = context.req.valid('param');
    const { as, note } = context.req.valid('json');
    await box.journal.settle(id, { as, by: context.var.principal, ...(note === undefined ? {} : { note }) });
    const call = await box.journal.call(id);
    if (call === undefined) throw new Problem('call-unknown', 'the journal has no call with this id');
    return json(context, callEntrySchema, call, 200);
  });
}
