import { createRoute, z } from '@hono/zod-openapi';
import type { JsonObject } from '../../../core/json/json.ts';
import type { ApproveOptions } from '../../../pipeline/approvals/approval-inbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { idParams, jsonBody, jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { elicitationRequiredSchema } from '../../schemas/session-event-schemas.ts';
import {
  answersSchema,
  approveCallSchema,
  denyCallSchema,
  elicitationAnswerSchema,
  sessionSchema,
} from '../../schemas/session-schemas.ts';
import type { SessionAccess } from './session-access.ts';
import { json } from '../../http/json-response.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';

const elicitationPageSchema = z
  .object({ items: z.array(elicitationRequiredSchema).readonly() })
  .openapi('ElicitationPage');

const elicitationsRoute = createRoute({
  method: 'get',
  path: '/api/elicitations',
  'x-roles': routeRoles.read,
  tags: ['Sessions'],
  summary: 'List pending questions of servers',
  request: { query: z.object({ session: z.string().optional().describe('Only questions of this session.') }) },
  responses: { 200: jsonResponse('Oldest first.', elicitationPageSchema), ...problems(400, 404, 503) },
});

function answerRoute<Action extends string, Body extends z.ZodType>(action: Action, summary: string, schema: Body) {
  return createRoute({
    method: 'post',
    path: `/api/sessions/{id}/${action}`,
    'x-roles': routeRoles.answer,
    tags: ['Sessions'],
    summary,
    description: 'The first answer wins. Later ones get 409.',
    middleware: readJsonBody(),
    request: { params: idParams, body: jsonBody(schema) },
    responses: {
      200: jsonResponse('The updated session.', sessionSchema),
      ...problems(400, 404, 409, 413, 415, 422, 503),
    },
  });
}

/** Adds the routes that approve calls and answer questions during a turn. */
export function addAnswerRoutes(app: ServerApp, served: SessionAccess): void {
  app.openapi(answerRoute('approve', 'Approve a pending call', approveCallSchema), async (context) => {
    const { id } = await served.one(context.var.identity, context.req.valid('param').id);
    const { toolCallId, ...answer } = omitUndefined(context.req.valid('json'));
    await served.all.approve(id, toolCallId, { ...(answer as Omit<ApproveOptions, 'by'>), by: context.var.principal });
    return json(context, sessionSchema, await served.all.get(id), 200);
  });

  app.openapi(answerRoute('deny', 'Deny a pending call', denyCallSchema), async (context) => {
    const { id } = await served.one(context.var.identity, context.req.valid('param').id);
    const { toolCallId, ...answer } = omitUndefined(context.req.valid('json'));
    await served.all.deny(id, toolCallId, { ...answer, by: context.var.principal });
    return json(context, sessionSchema, await served.all.get(id), 200);
  });

  app.openapi(answerRoute('submit-answers', 'Answer a question of the agent', answersSchema), async (context) => {
    const { id } = await served.one(context.var.identity, context.req.valid('param').id);
    const { toolCallId, answers } = context.req.valid('json');
    await served.all.answer(id, toolCallId, answers as JsonObject, context.var.principal);
    return json(context, sessionSchema, await served.all.get(id), 200);
  });

  const answerElicitation = answerRoute(
    'answer-elicitation',
    'Answer a form, page or sampling request of a server',
    elicitationAnswerSchema,
  );
  app.openapi(answerElicitation, async (context) => {
    const { id } = await served.one(context.var.identity, context.req.valid('param').id);
    const { elicitationId, ...answer } = context.req.valid('json');
    await served.all.answerElicitation(id, elicitationId, answer as JsonObject, context.var.principal);
    return json(context, sessionSchema, await served.all.get(id), 200);
  });

  app.openapi(elicitationsRoute, async (context) => {
    const { session } = context.req.valid('query');
    const all = await served.elicitations(context.var.identity);
    const items = session === undefined ? all : all.filter(({ sessionId }) => sessionId === session);
    return json(context, elicitationPageSchema, { items }, 200);
  });
}
