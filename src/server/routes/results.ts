import { createRoute, z } from '@hono/zod-openapi';
import type { Signalbox } from '../../signalbox.ts';
import type { ServerApp } from '../environment.ts';
import { problems } from '../schemas/problem.ts';
import { json } from '../typed-json.ts';

const resultSchema = z
  .object({
    owner: z.string().describe('Who made the call.'),
    mimeType: z.string(),
    text: z.string(),
    offset: z.int(),
    total: z.int().describe('Length of the whole, in UTF-16 units.'),
    next: z.int().optional().describe('Where the next page begins; absent on the last page.'),
  })
  .openapi('ResultPage');

const route = createRoute({
  method: 'get',
  path: '/api/results/{id}',
  tags: ['Record'],
  summary: 'A part of a result that was too large to be handed out whole',
  description: 'The id is that of the call, which the `resource_link` of the shortened result names.',
  request: {
    params: z.object({ id: z.string() }),
    query: z.strictObject({
      offset: z.coerce.number<string>().int().min(0).default(0),
      limit: z.coerce.number<string>().int().min(1).max(1_000_000).default(8000),
    }),
  },
  responses: {
    200: { description: 'A page of the result.', content: { 'application/json': { schema: resultSchema } } },
    ...problems(400, 404, 503),
  },
});

/** Whoever gets here may administer the box, so results are not held back from those who did not make the call. */
export function resultRoutes(app: ServerApp, box: Signalbox): void {
  app.openapi(route, async (context) => {
    const page = await box.readResult(context.req.valid('param').id, context.req.valid('query'));
    return json(context, resultSchema, page, 200);
  });
}
