import { createRoute, z } from '@hono/zod-openapi';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import type { ResultPage } from '../../../journal/store/store.ts';
import { maySeeHidden, mayView } from '../../access/identity.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { Problem } from '../../problems/problem.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import { json } from '../../http/json-response.ts';

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
  'x-roles': routeRoles.look,
  tags: ['Record'],
  summary: 'A part of a result that was too large to be handed out whole',
  description:
    'Agents see those of their own calls, and viewers see results redacted like the journal. The id is that of the call, which the `resource_link` of the shortened result names.',
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

/** Redacting a result takes all of it at once: a page may begin in the middle of a secret. */
const maxRedactedCharacters = 4 * 1024 * 1024;

export function addResultRoutes(app: ServerApp, box: InternalSignalbox): void {
  app.openapi(route, async (context) => {
    const { id } = context.req.valid('param');
    const query = context.req.valid('query');
    const { identity } = context.var;
    const isWhole = maySeeHidden(identity);
    const page = await box.journal.result(id, isWhole ? query : { offset: 0, limit: maxRedactedCharacters });
    if (!mayView(identity, page.owner))
      throw new Problem('result-unknown', `no result of a call of yours is kept as ${id}`);
    return json(context, resultSchema, isWhole ? page : redactedPage(box, page, query), 200);
  });
}

function redactedPage(
  box: InternalSignalbox,
  whole: ResultPage,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): ResultPage {
  if (whole.next !== undefined)
    throw new Problem(
      'role-refused',
      `the result has ${whole.total} characters, and at most ${maxRedactedCharacters} are redacted for viewers; read it with an approver's token`,
    );
  const text = JSON.parse(box.redactJson(JSON.stringify(whole.text))) as string;
  const { owner, mimeType } = whole;
  const next = offset + limit < text.length ? { next: offset + limit } : {};
  return { owner, mimeType, text: text.slice(offset, offset + limit), offset, total: text.length, ...next };
}
