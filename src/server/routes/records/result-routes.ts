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
    owner: z.string().describe('The principal who made the call.'),
    mimeType: z.string(),
    text: z.string(),
    offset: z.int(),
    total: z.int().describe('The length of the complete text, in UTF-16 code units.'),
    next: z.int().optional().describe('The `offset` of the next page. Absent on the last page.'),
  })
  .openapi('ResultPage');

const route = createRoute({
  method: 'get',
  path: '/api/results/{id}',
  'x-roles': routeRoles.look,
  tags: ['Record'],
  summary: 'Read a large result in parts',
  description:
    'Agents see results of their own calls. Viewers see results redacted like the journal. The id is that of the call; the `resource_link` in the shortened result contains it.',
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

/** A result is redacted as a whole, because a page may begin in the middle of a secret. */
const maxRedactedCharacters = 4 * 1024 * 1024;

export function addResultRoutes(app: ServerApp, box: InternalSignalbox): void {
  app.openapi(route, async (context) => {
    const { id } = context.req.valid('param');
    const query = context.req.valid('query');
    const { identity } = context.var;
    const canSeeHidden = maySeeHidden(identity);
    const page = await box.journal.result(id, canSeeHidden ? query : { offset: 0, limit: maxRedactedCharacters });
    if (!mayView(identity, page.owner))
      throw new Problem('result-unknown', `there is no stored result with the id ${id}`);
    return json(context, resultSchema, canSeeHidden ? page : redactedPage(box, page, query), 200);
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
      `the result has ${whole.total} characters, and the maximum for viewers is ${maxRedactedCharacters}; read it with the token of an approver`,
    );
  const text = JSON.parse(box.redactJson(JSON.stringify(whole.text))) as string;
  const { owner, mimeType } = whole;
  const next = offset + limit < text.length ? { next: offset + limit } : {};
  return { owner, mimeType, text: text.slice(offset, offset + limit), offset, total: text.length, ...next };
}
