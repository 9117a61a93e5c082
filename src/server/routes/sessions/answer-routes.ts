import { createRoute, z } from '@hono/zod-openapi';
import type { JsonObject } from '../../../core/json/json.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { problems } from '../../schemas/problem-schemas.ts';
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

const elicitationPageSchema = z
  .object({ items: z.array(elicitationRequiredSchema).readonly() })
  .openapi('ElicitationPage');

const elicitationsRoute = createRoute({
  method: 'get',
  path: '/api/elicitations',
  'x-roles': routeRoles.read,
  tags: ['Sessions'],
  summary: 'Questions of servers that wait for an answer',
  request: { query: z.object({ session: z.string().optional().describe('Only those of this session.') }) },
  responses: {
    200: { description: 'The oldest first.', content: { 'application/json': { schema: elicitationPageSchema } } },
    ...problems(400, 404, 503),
  },
});

/** What humans say in the middle of a turn. */
export function addAnswerRoutes(app: ServerApp, served: SessionAccess, maxBodyBytes: number): void {
  function answerRoute<What extends string, Body extends z.ZodType>(what: What, summary: string, schema: Body) {
    return createRoute({
      method: 'post',
      path: `/api/sessions/{id}/${what}`,
      'x-roles': routeRoles.answer,
      tags: ['Sessions'],
      summary,
      description: 'The first answer wins: the others get 409.',
      middleware: readJsonBody(maxBodyBytes),
      request: { params: z.object({ id: z.string() }), body: { content: { 'application/json': { schema } } } },
      responses: {
        200: { description: 'The session as it is now.', content: { 'application/json': { schema: sessionSchema } } },
        ...problems(400, 404, 409, 413, 415, 422, 503),
      },
    });
  }

  app.openapi(answerRoute('approve', 'Say yes to the call that waits', approveCallSchema), async (context) => {
    const { id } = await served.one(context.var.identity, context.req.valid('param').id);
    const { toolCallId, approvalId, arguments: edited, remember, acknowledgeHidden } = context.req.valid('json');
    await served.all.approve(id, toolCallId, {
      by: context.var.principal,
      ...(approvalId === undefined ? {} : { approvalId }),
      ...(edited === undefined ? {} : { arguments: edited as JsonObject }),
      ...(remember === undefined ? {} : { remember }),
      ...(acknowledgeHidden === undefined ? {} : { acknowledgeHidden }),
    });
    return json(context, sessionSchema, await served.all.get(id), 200);
  });

  app.openapi(answerRoute('deny', 'Say no to the call that waits', denyCallSchema), async (context) => {
    const { id } = await served.one(context.var.identity, context.req.valid('param').id);
    const { toolCallId, approvalId, reason } = context.req.valid('json');
    await served.all.deny(id, toolCallId, {
      by: context.var.principal,
      ...(approvalId === undefined ? {} : { approvalId }),
      ...(reason === undefined ? {} : { reason }),
    });
    return json(context, sessionSchema, await served.all.get(id), 200);
  });

  app.openapi(answerRoute('submit-answers', 'Answer the agent’s question', answersSchema), async (context) => {
    const { id } = await served.one(context.var.identity, context.req.valid('param').id);
    const { toolCallId, answers } = context.req.valid('json');
    await served.all.answer(id, toolCallId, answers as JsonObject, context.var.principal);
    return json(context, sessionSchema, await served.all.get(id), 200);
  });

  const answerElicitation = answerRoute(
    'answer-elicitation',
    'Answer a server’s form, page or sampling request',
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
