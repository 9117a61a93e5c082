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
  summary: 'End the turn that runs, and take back those that wait',
  request: { params },
  responses: {
    200: { description: 'Whether there was one.', content: { 'application/json': { schema: interruptionSchema } } },
    ...problems(404, 503),
  },
});

/** Turns: a message begins one, and nothing but its end or an interruption ends it. */
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
    summary: 'Say something to the agent: a turn',
    description:
      'With `Accept: text/event-stream`, what happens in the turn, until its `done`. Who is cut off goes on at `/events` with `Last-Event-ID`: the turn does not end with the connection. Turns run one after the other.',
    middleware: readJsonBody(maxBodyBytes),
    request: { params, body: { content: { 'application/json': { schema: messageSchema } } } },
    responses: {
      200: {
        description: 'The events of the turn, one in each message.',
        content: { 'text/event-stream': { schema: sessionEventSchema } },
      },
      202: {
        description: 'The message is taken; `Location` is where its events are told.',
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
      return streams.answer(context, async (signal) => {
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

/** The events of one turn: those before are of turns that were asked for earlier. */
async function* turnFrames(events: AsyncIterable<SessionEvent>, turnId: string): AsyncGenerator<string> {
  let begun = false;
  for await (const event of events) {
    begun ||= event.type === 'user_message' && event.turnId === turnId;
    if (!begun) continue;
    yield toSessionFrame(event);
    if (event.type === 'done') return;
  }
}
