import { createRoute, z } from '@hono/zod-openapi';
import type { Signalbox } from '../../signalbox.ts';
import type { ServerApp } from '../environment.ts';
import { Problem } from '../problems/problem.ts';
import { callEntrySchema, callPageSchema, journalPageSchema } from '../schemas/journal.ts';
import { callQuerySchema, journalQuerySchema, toJournalQuery } from '../schemas/journal-query.ts';
import { problems } from '../schemas/problem.ts';
import { json } from '../typed-json.ts';

const callsRoute = createRoute({
  method: 'get',
  path: '/api/calls',
  tags: ['Record'],
  summary: 'Calls, one entry each',
  description: 'How each call ended, or `CallStarted` while it runs.',
  request: { query: callQuerySchema },
  responses: {
    200: { description: 'A page of calls.', content: { 'application/json': { schema: callPageSchema } } },
    ...problems(400, 503),
  },
});

const callRoute = createRoute({
  method: 'get',
  path: '/api/calls/{id}',
  tags: ['Record'],
  summary: 'The last word on one call',
  request: { params: z.object({ id: z.string() }) },
  responses: {
    200: { description: 'The call.', content: { 'application/json': { schema: callEntrySchema } } },
    ...problems(404, 503),
  },
});

const journalRoute = createRoute({
  method: 'get',
  path: '/api/journal',
  tags: ['Record'],
  summary: 'The journal, paged',
  request: { query: journalQuerySchema },
  responses: {
    200: { description: 'A page of entries.', content: { 'application/json': { schema: journalPageSchema } } },
    ...problems(400, 503),
  },
});

export function journalRoutes(app: ServerApp, box: Signalbox): void {
  app.openapi(callsRoute, async (context) => {
    const page = await box.journal.calls(toJournalQuery(context.req.valid('query')));
    return json(context, callPageSchema, page, 200);
  });

  app.openapi(callRoute, async (context) => {
    const call = await box.journal.call(context.req.valid('param').id);
    if (call === undefined) throw new Problem('call-unknown', 'no call of that id is in the journal');
    return json(context, callEntrySchema, call, 200);
  });

  app.openapi(journalRoute, async (context) => {
    const page = await box.journal.entries(toJournalQuery(context.req.valid('query')));
    return json(context, journalPageSchema, page, 200);
  });
}
