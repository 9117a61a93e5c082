import { createRoute, z } from '@hono/zod-openapi';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { mayView } from '../../access/identity.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { Problem } from '../../problems/problem.ts';
import { readCallDetails } from './call-details.ts';
import { callDetailsSchema, callPageSchema, journalPageSchema } from '../../schemas/journal-schemas.ts';
import { callQuerySchema, journalQuerySchema, toJournalQuery } from '../../schemas/journal-query-schemas.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import { json } from '../../http/json-response.ts';
import type { JournalReader, Page } from '../../../journal/queries/journal-reader.ts';

const callsRoute = createRoute({
  method: 'get',
  path: '/api/calls',
  'x-roles': routeRoles.look,
  tags: ['Record'],
  summary: 'List calls',
  description: 'One entry for each call: `ToolInvoked`, or `CallStarted` while it runs. Agents see their own calls.',
  request: { query: callQuerySchema },
  responses: {
    200: { description: 'A page of calls.', content: { 'application/json': { schema: callPageSchema } } },
    ...problems(400, 503),
  },
});

const addCallRoutes = createRoute({
  method: 'get',
  path: '/api/calls/{id}',
  'x-roles': routeRoles.look,
  tags: ['Record'],
  summary: 'Get a call',
  description:
    'Returns the call with its complete result, its approval, whether it can be undone, and all its journal entries.',
  request: { params: z.object({ id: z.string() }) },
  responses: {
    200: { description: 'The call.', content: { 'application/json': { schema: callDetailsSchema } } },
    ...problems(404, 503),
  },
});

const journalRoute = createRoute({
  method: 'get',
  path: '/api/journal',
  'x-roles': routeRoles.read,
  tags: ['Record'],
  summary: 'List journal entries',
  request: { query: journalQuerySchema },
  responses: {
    200: { description: 'A page of entries.', content: { 'application/json': { schema: journalPageSchema } } },
    ...problems(400, 503),
  },
});

export function addJournalRoutes(app: ServerApp, box: InternalSignalbox): void {
  app.openapi(callsRoute, async (context) => {
    const { role, principal } = context.var.identity;
    const query = toJournalQuery(context.req.valid('query'));
    if (role === 'agent' && query.principal !== undefined && !mayView(context.var.identity, query.principal))
      return json(context, callPageSchema, { items: [] }, 200);
    const ownCalls = role === 'agent' ? { principal: principal.id } : {};
    const { signal } = context.req.raw;
    const page = await box.journal.calls({ ...ownCalls, ...query, signal });
    return json(context, callPageSchema, await withPruned(box.journal, page), 200);
  });

  app.openapi(addCallRoutes, async (context) => {
    const { id } = context.req.valid('param');
    const call = await box.journal.call(id);
    if (call === undefined || !mayView(context.var.identity, call.principal.id))
      throw new Problem('call-unknown', 'the journal has no call with this id');
    return json(context, callDetailsSchema, await readCallDetails(box, call), 200);
  });

  app.openapi(journalRoute, async (context) => {
    const { signal } = context.req.raw;
    const page = await box.journal.query({ ...toJournalQuery(context.req.valid('query')), signal });
    return json(context, journalPageSchema, await withPruned(box.journal, page), 200);
  });
}

/** Adds to the last page of a list up to where older entries were pruned. */
async function withPruned<Item>(
  journal: JournalReader,
  page: Page<Item>,
): Promise<Page<Item> & { readonly pruned?: { readonly seq: number; readonly at: string } }> {
  if (page.next !== undefined) return page;
  const { seq, at } = await journal.beginning();
  return seq === 0 ? page : { ...page, pruned: { seq, at: new Date(at).toISOString() } };
}
