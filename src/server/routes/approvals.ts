import { createRoute, z } from '@hono/zod-openapi';
import type { JsonObject } from '../../model/json.ts';
import type { Signalbox } from '../../signalbox.ts';
import { may } from '../access/may.ts';
import type { ServerApp } from '../environment.ts';
import { readJsonBody } from '../json-body.ts';
import {
  approvalSchema,
  approveRequestSchema,
  denyRequestSchema,
  previewSchema,
  rememberScope,
  ruleSchema,
} from '../schemas/approval.ts';
import { problems } from '../schemas/problem.ts';
import { json } from '../typed-json.ts';

const tags = ['Approvals'];
const params = z.object({ id: z.string() });
const pageSchema = z.object({ items: z.array(approvalSchema).readonly() }).openapi('ApprovalPage');
const rulePageSchema = z.object({ items: z.array(ruleSchema).readonly() }).openapi('RulePage');
const approval = { 'application/json': { schema: approvalSchema } };

const listRoute = createRoute({
  method: 'get',
  path: '/api/approvals',
  'x-roles': may.read,
  tags,
  summary: 'What waits for a human',
  request: {
    query: z.object({ state: z.enum(['open', 'all']).optional().describe('`open` unless said otherwise.') }),
  },
  responses: {
    200: { description: 'Newest first.', content: { 'application/json': { schema: pageSchema } } },
    ...problems(400, 503),
  },
});

const getRoute = createRoute({
  method: 'get',
  path: '/api/approvals/{id}',
  'x-roles': may.read,
  tags,
  summary: 'One approval',
  request: { params },
  responses: { 200: { description: 'The approval.', content: approval }, ...problems(404, 503) },
});

const rulesRoute = createRoute({
  method: 'get',
  path: '/api/approvals/rules',
  'x-roles': may.read,
  tags,
  summary: 'Remembered approvals',
  responses: {
    200: { description: 'Oldest first.', content: { 'application/json': { schema: rulePageSchema } } },
    ...problems(503),
  },
});

const revokeRoute = createRoute({
  method: 'delete',
  path: '/api/approvals/rules/{id}',
  'x-roles': may.change,
  tags,
  summary: 'Ask again in the place of a remembered approval',
  request: { params },
  responses: {
    200: { description: 'What is left.', content: { 'application/json': { schema: rulePageSchema } } },
    ...problems(404, 503),
  },
});

const previewRoute = createRoute({
  method: 'get',
  path: '/api/approvals/{id}/remember',
  'x-roles': may.read,
  tags,
  summary: 'What remembering would have let through',
  request: { params, query: z.object({ scope: rememberScope }) },
  responses: {
    200: { description: 'The rule, and recorded calls.', content: { 'application/json': { schema: previewSchema } } },
    ...problems(400, 404, 422, 503),
  },
});

function answerRoute<What extends 'approve' | 'deny', Body extends z.ZodType>(
  what: What,
  schema: Body,
  maxBodyBytes: number,
) {
  return createRoute({
    method: 'post',
    path: `/api/approvals/{id}/${what}`,
    'x-roles': may.answer,
    tags,
    summary: what === 'approve' ? 'Say yes to one exact call' : 'Say no to one exact call',
    description: 'The first answer wins: the others get 409, and who answered when.',
    middleware: readJsonBody(maxBodyBytes),
    request: { params, body: { content: { 'application/json': { schema } } } },
    responses: {
      200: { description: 'The approval with the answer.', content: approval },
      ...problems(400, 404, 409, 413, 415, 422, 503),
    },
  });
}

/** The inbox. Serving it makes the people who can open it reachable. */
export function approvalRoutes(app: ServerApp, box: Signalbox, maxBodyBytes: number): void {
  const { approvals } = box;
  app.openapi(listRoute, async (context) => {
    const { state } = context.req.valid('query');
    return json(context, pageSchema, { items: await approvals.list({ all: state === 'all' }) }, 200);
  });
  app.openapi(rulesRoute, async (context) => json(context, rulePageSchema, { items: await approvals.rules() }, 200));
  app.openapi(revokeRoute, async (context) => {
    await approvals.revoke(context.req.valid('param').id, { by: context.var.principal });
    return json(context, rulePageSchema, { items: await approvals.rules() }, 200);
  });
  app.openapi(getRoute, async (context) =>
    json(context, approvalSchema, await approvals.get(context.req.valid('param').id), 200),
  );
  app.openapi(previewRoute, async (context) => {
    const { scope } = context.req.valid('query');
    const preview = await approvals.preview(context.req.valid('param').id, scope, context.var.principal);
    return json(context, previewSchema, preview, 200);
  });
  app.openapi(answerRoute('approve', approveRequestSchema, maxBodyBytes), async (context) => {
    const { arguments: edited, remember } = context.req.valid('json');
    const answered = await approvals.approve(context.req.valid('param').id, {
      by: context.var.principal,
      ...(edited === undefined ? {} : { arguments: edited as JsonObject }),
      ...(remember === undefined ? {} : { remember }),
    });
    return json(context, approvalSchema, answered, 200);
  });
  app.openapi(answerRoute('deny', denyRequestSchema, maxBodyBytes), async (context) => {
    const { reason } = context.req.valid('json');
    const by = context.var.principal;
    const answered = await approvals.deny(context.req.valid('param').id, {
      by,
      ...(reason === undefined ? {} : { reason }),
    });
    return json(context, approvalSchema, answered, 200);
  });
}
