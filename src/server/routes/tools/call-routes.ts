import { createRoute, z } from '@hono/zod-openapi';
import type { CallOptions } from '../../../core/calls/call.ts';
import type { ElicitationAnswer } from '../../../core/calls/call-client.ts';
import type { Sessions } from '../../../sessions/sessions.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { type Identity, mayView, profileFor } from '../../access/identity.ts';
import { routeRoles } from '../../access/route-roles.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { evictOldest } from '../../access/evict-oldest.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { Problem } from '../../problems/problem.ts';
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
const maxCachedOwners = 10_000;

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

/** Options of `addCallRoutes`. */
interface CallRouteOptions {
  readonly box: InternalSignalbox;
  readonly sessions?: Sessions | undefined;
  readonly admission: Admission;
  /** Aborted when the server stops and the calls that still run must end. */
  readonly ending: AbortSignal;
  readonly log: (line: string) => void;
}

/** Adds the routes that call tools. Unknown tools and invalid arguments are recorded outcomes, not HTTP errors. */
export function addCallRoutes(app: ServerApp, { box, sessions, admission, ending, log }: CallRouteOptions): void {
  const streamed = new StreamedCalls(ending, log);
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
    const signal = AbortSignal.any([context.req.raw.signal, ending]);
    const result = await box.call(name, body.arguments, { ...options, signal });
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
    waitMs: waitSeconds * 1000,
    ...omitUndefined({ session, deadline, idempotencyKey, definitionHash }),
  };
}

/**
 * Knows the owners of the sessions that calls name. Rules evaluate the history of a session, so an agent must not name the session
 * of another principal.
 */
class SessionOwners {
  readonly #journal: InternalSignalbox['journal'];
  readonly #sessions: Sessions | undefined;
  readonly #owners = new Map<string, string>();

  constructor(journal: InternalSignalbox['journal'], sessions: Sessions | undefined) {
    this.#journal = journal;
    this.#sessions = sessions;
  }

  /** Throws `session-unknown` when an agent names the session of another principal. The first caller of a new session owns it. */
  async assertOwn(identity: Identity, named: string): Promise<void> {
    if (identity.role !== 'agent') return;
    // Compared as it will be recorded: two spellings may be recorded as the same session.
    const session = this.#journal.recordedName(named);
    if (session === '') return;
    const owner =
      this.#owners.get(session) ??
      (await this.#sessionOwner(session)) ??
      (await this.#firstCaller(session)) ??
      identity.principal.id;
    this.#cache(session, owner);
    if (!mayView(identity, owner))
      throw new Problem(
        'session-unknown',
        `the session ${JSON.stringify(session)} belongs to another principal; use another name`,
      );
  }

  /** Returns the owner of a session with an agent; `undefined` for any other name. */
  async #sessionOwner(session: string): Promise<string | undefined> {
    try {
      return (await this.#sessions?.get(session))?.owner.id;
    } catch (error) {
      if (error instanceof SignalboxError && error.code === 'session-unknown') return undefined;
      throw error;
    }
  }

  async #firstCaller(session: string): Promise<string | undefined> {
    const { items } = await this.#journal.calls({ session, order: 'oldest-first', limit: 1 });
    return items[0]?.principal.id;
  }

  #cache(session: string, owner: string): void {
    if (this.#owners.has(session)) return;
    evictOldest(this.#owners, maxCachedOwners);
    this.#owners.set(session, owner);
  }
}
