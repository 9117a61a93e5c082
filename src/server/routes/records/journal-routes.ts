import { createRoute, z } from '@hono/zod-openapi';
import { SignalboxError } from '../../../core/errors.ts';
import type { CallStarted, JournalEvent, ToolInvoked } from '../../../journal/entries/journal-event.ts';
import { approvalWaitMs } from '../../../journal/queries/approval-wait.ts';
import type { JournalReader, Page } from '../../../journal/queries/journal-reader.ts';
import type { ResultPage } from '../../../journal/store/store.ts';
import { toolRan } from '../../../pipeline/policies/recorded-calls.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { maySeeHidden, mayView } from '../../access/identity.ts';
import { routeRoles } from '../../access/route-roles.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { json } from '../../http/json-response.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { Problem } from '../../problems/problem.ts';
import { callQuerySchema, journalQuerySchema, toJournalQuery } from '../../schemas/journal-query-schemas.ts';
import {
  callDetailsSchema,
  callEntrySchema,
  callPageSchema,
  journalPageSchema,
  settledAs,
} from '../../schemas/journal-schemas.ts';
import { idParams, jsonBody, jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';

type CallDetails = z.output<typeof callDetailsSchema>;

const maxEntries = 100;
/** A result is redacted as a whole, because a page may begin in the middle of a secret. */
const maxRedactedCharacters = 4 * 1024 * 1024;

const callsRoute = createRoute({
  method: 'get',
  path: '/api/calls',
  'x-roles': routeRoles.view,
  tags: ['Record'],
  summary: 'List calls',
  description: 'One entry for each call: `ToolInvoked`, or `CallStarted` while it runs. Agents see their own calls.',
  request: { query: callQuerySchema },
  responses: { 200: jsonResponse('A page of calls.', callPageSchema), ...problems(400, 503) },
});

const callRoute = createRoute({
  method: 'get',
  path: '/api/calls/{id}',
  'x-roles': routeRoles.view,
  tags: ['Record'],
  summary: 'Get a call',
  description:
    'Returns the call with its complete result, its approval, whether it can be undone, and all its journal entries.',
  request: { params: idParams },
  responses: { 200: jsonResponse('The call.', callDetailsSchema), ...problems(404, 503) },
});

const journalRoute = createRoute({
  method: 'get',
  path: '/api/journal',
  'x-roles': routeRoles.read,
  tags: ['Record'],
  summary: 'List journal entries',
  request: { query: journalQuerySchema },
  responses: { 200: jsonResponse('A page of entries.', journalPageSchema), ...problems(400, 503) },
});

const settleRequestSchema = z
  .strictObject({ as: settledAs, note: z.string().max(1000).optional().describe('How the outcome was determined.') })
  .openapi('SettleRequest');

const settleRoute = createRoute({
  method: 'post',
  path: '/api/calls/{id}/settle',
  'x-roles': routeRoles.answer,
  tags: ['Record'],
  summary: 'Set the outcome of a call whose outcome is unknown',
  description: 'Does not run the tool. Later calls with the same idempotency key get this outcome.',
  middleware: readJsonBody(),
  request: { params: idParams, body: jsonBody(settleRequestSchema) },
  responses: { 200: jsonResponse('The settled call.', callEntrySchema), ...problems(400, 404, 409, 413, 415, 503) },
});

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

const resultRoute = createRoute({
  method: 'get',
  path: '/api/results/{id}',
  'x-roles': routeRoles.view,
  tags: ['Record'],
  summary: 'Read a large result in parts',
  description:
    'Agents see results of their own calls. Viewers see results redacted like the journal. The id is that of the call; the `resource_link` in the shortened result contains it.',
  request: {
    params: idParams,
    query: z.strictObject({
      offset: z.coerce.number<string>().int().min(0).default(0),
      limit: z.coerce.number<string>().int().min(1).max(1_000_000).default(8000),
    }),
  },
  responses: { 200: jsonResponse('A page of the result.', resultSchema), ...problems(400, 404, 503) },
});

/** Adds the routes that read the journal, its calls and their results, and settle calls with an unknown outcome. */
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

  app.openapi(callRoute, async (context) => {
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

  app.openapi(settleRoute, async (context) => {
    const { id } = context.req.valid('param');
    await box.journal.settle(id, { ...omitUndefined(context.req.valid('json')), by: context.var.principal });
    const call = await box.journal.call(id);
    if (call === undefined) throw new Problem('call-unknown', 'the journal has no call with this id');
    return json(context, callEntrySchema, call, 200);
  });

  app.openapi(resultRoute, async (context) => {
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

/** Adds to the last page the position up to which older entries were pruned. */
async function withPruned<Item>(
  journal: JournalReader,
  page: Page<Item>,
): Promise<Page<Item> & { readonly pruned?: { readonly seq: number; readonly at: string } }> {
  if (page.next !== undefined) return page;
  const { seq, at } = await journal.beginning();
  return seq === 0 ? page : { ...page, pruned: { seq, at: new Date(at).toISOString() } };
}

/** Returns a call with its result, approval, undo state and journal entries. */
async function readCallDetails(box: InternalSignalbox, call: ToolInvoked | CallStarted): Promise<CallDetails> {
  const { callId } = call;
  const [recording, storedResult, undo, { items: history }] = await Promise.all([
    box.journal.recording(callId),
    ignoreUnknown(box.journal.result(callId, { limit: 1 })),
    box.undo.status(callId),
    box.journal.query({ call: callId, order: 'oldest-first', limit: maxEntries }),
  ]);
  const approvalId = call.approvalId ?? history.find(isQuestion)?.approvalId;
  const approval = approvalId === undefined ? undefined : await ignoreUnknown(box.approvals.get(approvalId));
  const result =
    recording && omitUndefined({ content: recording.content, structuredContent: recording.structuredContent });
  const details = { ...omitUndefined({ result, keptCharacters: storedResult?.total, approval }), undo, history };
  if (call.type === 'CallStarted') return { ...call, ...details };
  const waitedMs = approvalWaitMs(call, history, approval);
  return { ...call, ...details, ran: toolRan(call, history), ...omitUndefined({ waitedMs }) };
}

function isQuestion(entry: JournalEvent): entry is JournalEvent & { readonly type: 'ApprovalRequested' } {
  return entry.type === 'ApprovalRequested';
}

/** Resolves to `undefined` for an approval or result that is unknown, because they are stored for a limited time. */
async function ignoreUnknown<Found>(lookup: Promise<Found>): Promise<Found | undefined> {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof SignalboxError && (error.code === 'result-unknown' || error.code === 'approval-unknown'))
      return undefined;
    throw error;
  }
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
