import { createRoute, z } from '@hono/zod-openapi';
import type { CallOptions } from '../../../core/calls/call.ts';
import type { ElicitationAnswer } from '../../../core/calls/call-client.ts';
import type { Sessions } from '../../../sessions/sessions.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { profileFor } from '../../access/identity.ts';
import { routeRoles } from '../../access/route-roles.ts';
import { omitUndefined } from '../../omit-undefined.ts';
import { SessionOwners } from './session-owners.ts';
import { type Admission, admitCall } from '../../http/admission.ts';
import type { ServerApp, ServerContext } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import {
  callEventSchema,
  callRequestSchema,
  callResultSchema,
  elicitationAnswerSchema,
} from '../../schemas/call-schemas.ts';
import { idParams, jsonBody, jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { acceptsEventStream } from '../../streams/event-streams.ts';
import { StreamedCalls } from './streamed-calls.ts';
import { json } from '../../http/json-response.ts';

const defaultWaitSeconds = 60;

const answerRoute = createRoute({
  method: 'post',
  path: '/api/call-questions/{id}',
  'x-roles': routeRoles.call,
  tags: ['Tools'],
  summary: 'Answer a question of a tool',
  description: 'For calls with `elicitation` and an event stream, which contains the id.',
  middleware: readJsonBody(),
  request: { params: idParams, body: jsonBody(elicitationAnswerSchema) },
  responses: { 204: { description: 'The answer was sent to the tool.' }, ...problems(400, 404, 413, 415) },
});

const cancelRoute = createRoute({
  method: 'delete',
  path: '/api/call-streams/{id}',
  'x-roles': routeRoles.call,
  tags: ['Tools'],
  summary: 'Cancel a streamed call',
  description: 'The id is in the event `started`. The stream continues until the result.',
  request: { params: idParams },
  responses: { 204: { description: 'The call was cancelled.' }, ...problems(404) },
});

/** Adds the routes that call tools. Unknown tools and invalid arguments are recorded outcomes, not HTTP errors. */
export function addCallRoutes(
  app: ServerApp,
  box: InternalSignalbox,
  sessions: Sessions | undefined,
  admission: Admission,
  log: (line: string) => void,
): void {
  const streamed = new StreamedCalls(log);
  const owners = new SessionOwners(box.journal, sessions);
  const route = createRoute({
    method: 'post',
    path: '/api/tools/{name}/call',
    'x-roles': routeRoles.call,
    tags: ['Tools'],
    summary: 'Call a tool',
    description:
      'Returns 200 for every outcome, also when the tool is unknown, denied or failed: read `outcome`. Closing the connection cancels the call. ' +
      'Returns 202 when a call awaits approval for longer than `waitSeconds`; after the approval, the same call runs at once. ' +
      'With `Accept: text/event-stream`, the response streams the events of the call; the last one contains the result.',
    middleware: [admitCall(admission), readJsonBody()] as const,
    request: {
      params: z.object({ name: z.string().openapi({ example: 'mcp__signalbox__ping' }) }),
      body: jsonBody(callRequestSchema),
    },
    responses: {
      200: {
        description: 'The call has ended.',
        content: { ...jsonBody(callResultSchema).content, 'text/event-stream': { schema: callEventSchema } },
      },
      202: jsonResponse('The call awaits a human’s approval.', callResultSchema),
      ...problems(400, 404, 413, 415, 503),
    },
  });

  app.openapi(route, async (context) => {
    const body = context.req.valid('json');
    if (body.sessionId !== undefined) await owners.assertOwn(context.var.identity, body.sessionId);
    const { name } = context.req.valid('param');
    const options = callOptions(context, body);
    if (acceptsEventStream(context)) {
      const waitMs = body.waitSeconds === undefined ? Number.POSITIVE_INFINITY : options.waitMs;
      return streamed.respond(context, { canAnswer: body.elicitation === true }, (reports) =>
        box.call(name, body.arguments, { ...options, waitMs, ...reports }),
      );
    }
    const result = await box.call(name, body.arguments, options);
    return json(context, callResultSchema, result, result.outcome === 'awaiting-approval' ? 202 : 200);
  });

  app.openapi(cancelRoute, (context) => {
    streamed.cancel(context.req.valid('param').id, context.var.principal.id);
    return context.body(null, 204);
  });

  app.openapi(answerRoute, (context) => {
    const answer = context.req.valid('json') as ElicitationAnswer;
    streamed.submit(context.req.valid('param').id, context.var.principal.id, answer);
    return context.body(null, 204);
  });
}

function callOptions(context: ServerContext, body: z.output<typeof callRequestSchema>): CallOptions {
  const { sessionId: session, waitSeconds = defaultWaitSeconds, timeoutSeconds, idempotencyKey, definitionHash } = body;
  const deadline = timeoutSeconds === undefined ? undefined : Date.now() + timeoutSeconds * 1000;
  return {
    principal: context.var.principal,
    ...profileFor(context.var.identity),
    signal: context.req.raw.signal,
    waitMs: waitSeconds * 1000,
    ...omitUndefined({ session, deadline, idempotencyKey, definitionHash }),
  };
}
