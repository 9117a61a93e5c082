import { createRoute, z } from '@hono/zod-openapi';
import type { CallOptions } from '../../model/call.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import type { Signalbox } from '../../signalbox.ts';
import { viewFor } from '../access/identity.ts';
import { may } from '../access/may.ts';
import { SessionOwners } from '../access/session-owners.ts';
import type { Admission } from '../admission.ts';
import { admit } from '../admit.ts';
import type { ServerApp, ServerContext } from '../environment.ts';
import { readJsonBody } from '../json-body.ts';
import { callRequestSchema, callResultSchema } from '../schemas/call.ts';
import { problems } from '../schemas/problem.ts';
import { json } from '../typed-json.ts';

const usualWaitSeconds = 60;
const content = { 'application/json': { schema: callResultSchema } };

/** Calls go through the pipeline whole: an unknown tool or wrong arguments are outcomes with a record, not HTTP errors. */
export function callRoute(
  app: ServerApp,
  box: Signalbox,
  sessions: Sessions | undefined,
  admission: Admission,
  maxBodyBytes: number,
): void {
  const owners = new SessionOwners(box.journal, sessions);
  const route = createRoute({
    method: 'post',
    path: '/api/tools/{name}/call',
    'x-roles': may.call,
    tags: ['Tools'],
    summary: 'Call a tool through the pipeline',
    description:
      'Every outcome is a 200, also when the tool is unknown, refused or failed: read `outcome`. Closing the connection cancels the call. ' +
      'A call that awaits a human’s approval for longer than `waitSeconds` is answered with 202; once it is approved, the same call runs at once.',
    middleware: [admit(admission, maxBodyBytes), readJsonBody(maxBodyBytes)] as const,
    request: {
      params: z.object({ name: z.string().openapi({ example: 'mcp__signalbox__ping' }) }),
      body: { content: { 'application/json': { schema: callRequestSchema } } },
    },
    responses: {
      200: { description: 'The call has ended.', content },
      202: { description: 'The call awaits a human’s approval.', content },
      ...problems(400, 404, 413, 415, 503),
    },
  });

  app.openapi(route, async (context) => {
    const body = context.req.valid('json');
    if (body.sessionId !== undefined) await owners.assertOwn(context.var.identity, body.sessionId);
    const result = await box.call(context.req.valid('param').name, body.arguments, callOptions(context, body));
    return json(context, callResultSchema, result, result.outcome === 'awaiting-approval' ? 202 : 200);
  });
}

function callOptions(context: ServerContext, body: z.output<typeof callRequestSchema>): CallOptions {
  return {
    principal: context.var.principal,
    ...viewFor(context.var.identity),
    signal: context.req.raw.signal,
    waitMs: (body.waitSeconds ?? usualWaitSeconds) * 1000,
    ...(body.sessionId === undefined ? {} : { session: body.sessionId }),
    ...(body.idempotencyKey === undefined ? {} : { idempotencyKey: body.idempotencyKey }),
    ...(body.definitionHash === undefined ? {} : { definitionHash: body.definitionHash }),
  };
}
