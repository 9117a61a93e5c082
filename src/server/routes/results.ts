import { createRoute, z } from '@hono/zod-openapi';
import type { Signalbox } from '../../signalbox.ts';
import { mayView } from '../access/identity.ts';
import { may } from '../access/may.ts';
import type { ServerApp } from '../environment.ts';
import { Problem } from '../problems/problem.ts';
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
  'x-roles': may.look,
  tags: ['Record'],
  summary: 'A part of a result that was too large to be handed out whole',
  description:
    'Agents see those of their own calls. The id is that of the call, which the `resource_link` of the shortened result names.',
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

export function resultRoutes(app: ServerApp, box: Signalbox): void {
  app.openapi(route, async (context) => {
    const { id } = context.req.valid('param');
    const page = await box.readResult(id, context.req.valid('query'));
    if (!mayView(context.var.identity, page.owner))
      throw new Problem('result-unknown', `no result of a call of yours is kept as ${id}`);
    return json(context, resultSchema, page, 200);
  });
}
