import { createRoute, z } from '@hono/zod-openapi';
import type { SessionEvent } from '../../../sessions/events/session-event.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { messageContent } from './message-content.ts';
import { type EventStreams, toSessionFrame, acceptsEventStream } from '../../streams/event-streams.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import { interruptionSchema, messageSchema, sentSchema } from '../../schemas/session-schemas.ts';
import { sessionEventSchema } from '../../schemas/session-event-schemas.ts';
import type { SessionAccess } from './session-access.ts';
import { json } from '../../http/json-response.ts';
import { readerFor } from '../tools/content-routes.ts';

const tags = ['Sessions'];
const params = z.object({ id: z.string() });

const interruptRoute = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/interrupt',
  'x-roles': routeRoles.steer,
  tags,
  summary: 'Interrupt the running turn and cancel queued ones',
  request: { params },
  responses: {
    200: {
      description: 'Whether a turn was running or queued.',
      content: { 'application/json': { schema: interruptionSchema } },
    },
    ...problems(404, 503),
  },
});

/** Adds the routes that start and interrupt turns. Closing a connection does not end a turn. */
export function addTurnRoutes(
  app: ServerApp,
  box: InternalSignalbox,
  served: SessionAccess,
  streams: EventStreams,
  maxBodyBytes: number,
): void {
  const sendRoute = createRoute({
    method: 'post',
    path: '/api/sessions/{id}/messages',
    'x-roles': routeRoles.call,
    tags,
    summary: 'Send a message and start a turn',
    description:
      'With `Accept: text/event-stream`, streams the events of the turn up to `done`. The turn does not end with the connection: a disconnected client resumes at `/events` with `Last-Event-ID`. Turns of a session run one after another.',
    middleware: readJsonBody(maxBodyBytes),
    request: { params, body: { content: { 'application/json': { schema: messageSchema } } } },
    responses: {
      200: {
        description: 'A stream of the events of the turn.',
        content: { 'text/event-stream': { schema: sessionEventSchema } },
      },
      202: {
        description: 'The message was accepted; `Location` is the URL of its events.',
        content: { 'application/json': { schema: sentSchema } },
      },
      ...problems(400, 404, 409, 413, 415, 422, 429, 502, 503),
    },
  });

  app.openapi(sendRoute, async (context) => {
    const { id } = await served.one(context.var.identity, context.req.valid('param').id);
    const message = context.req.valid('json');
    const { idempotencyKey } = message;
    const { principal } = context.var;
    const content = await messageContent(message, readerFor(box, context, id), context.req.raw.signal);
    const send = () => served.all.send(id, content, principal, idempotencyKey === undefined ? {} : { idempotencyKey });
    if (acceptsEventStream(context)) {
      return streams.respond(context, async (signal) => {
        const { turnId, afterSeq } = await send();
        return { after: afterSeq, frames: turnFrames(served.all.events(id, { after: afterSeq, signal }), turnId) };
      });
    }
    const sent = await send();
    context.header('Location', `/api/sessions/${id}/events?after=${sent.afterSeq}`);
    return json(context, sentSchema, sent, 202);
  });

  app.openapi(interruptRoute, async (context) => {
    const { id } = await served.one(context.var.identity, context.req.valid('param').id);
    return json(context, interruptionSchema, { interrupted: await served.all.interrupt(id) }, 200);
  });
}

/** Yields the events of one turn. Events of turns that were queued before it are skipped. */
async function* turnFrames(events: AsyncIterable<SessionEvent>, turnId: string): AsyncGenerator<string> {
  let hasStarted = false;
  for await (const event of events) {
    hasStarted ||= event.type === 'user_message' && event.turnId === turnId;
    if (!hasStarted) continue;
    yield toSessionFrame(event);
    if (event.type === 'done') return;
  }
}
