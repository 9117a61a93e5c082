import { createRoute, type z } from '@hono/zod-openapi';
import type { ContentReader } from '../../../pipeline/box-content.ts';
import { promptText, resourceText } from '../../../surfaces/server-content.ts';
import type { SessionEvent } from '../../../sessions/events/session-event.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { readJsonBody } from '../../http/json-body.ts';
import { type EventStreams, toSessionFrame, acceptsEventStream } from '../../streams/event-streams.ts';
import { idParams, jsonBody, jsonResponse, problems, resumeHeaders, resumeQuery } from '../../schemas/route-schemas.ts';
import { interruptionSchema, messageSchema, sentSchema } from '../../schemas/session-schemas.ts';
import { sessionEventSchema } from '../../schemas/session-event-schemas.ts';
import type { SessionAccess } from './session-access.ts';
import { json } from '../../http/json-response.ts';
import { readerFor } from '../tools/content-routes.ts';

const tags = ['Sessions'];

const interruptRoute = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/interrupt',
  'x-roles': routeRoles.steer,
  tags,
  summary: 'Interrupt the running turn and cancel queued ones',
  request: { params: idParams },
  responses: {
    200: jsonResponse('Whether a turn was running or queued.', interruptionSchema),
    ...problems(404, 503),
  },
});

const sendRoute = createRoute({
  method: 'post',
  path: '/api/sessions/{id}/messages',
  'x-roles': routeRoles.call,
  tags,
  summary: 'Send a message and start a turn',
  description:
    'With `Accept: text/event-stream`, streams the events of the turn up to `done`. The turn does not end with the connection: a disconnected client resumes at `/events` with `Last-Event-ID`. Turns of a session run one after another.',
  middleware: readJsonBody(),
  request: { params: idParams, body: jsonBody(messageSchema) },
  responses: {
    200: {
      description: 'A stream of the events of the turn.',
      content: { 'text/event-stream': { schema: sessionEventSchema } },
    },
    202: jsonResponse('The message was accepted; `Location` is the URL of its events.', sentSchema),
    ...problems(400, 404, 409, 413, 415, 422, 429, 502, 503),
  },
});

const eventsRoute = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/events',
  'x-roles': routeRoles.view,
  tags,
  summary: 'Stream the events of a session',
  description:
    'Server-sent events: first those of the running or last turn, or with `Last-Event-ID` or `after` those after that event; then live events until the session is deleted. No event is missing or repeated. Viewers get events redacted like the journal, and each text when it is complete.',
  request: { params: idParams, query: resumeQuery, headers: resumeHeaders },
  responses: {
    200: {
      description: 'A stream of events.',
      content: { 'text/event-stream': { schema: sessionEventSchema } },
    },
    ...problems(400, 404, 429, 503),
  },
});

/** Adds the routes that start, follow and interrupt turns. Closing a connection does not end a turn. */
export function addTurnRoutes(
  app: ServerApp,
  box: InternalSignalbox,
  served: SessionAccess,
  streams: EventStreams,
): void {
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

  app.openapi(eventsRoute, async (context) => {
    const { id, lastSeq } = await served.one(context.var.identity, context.req.valid('param').id);
    const startSeq = context.req.valid('header')['last-event-id'] ?? context.req.valid('query').after;
    // A seq beyond the last event would skip the events until then.
    const after = startSeq === undefined ? undefined : Math.min(startSeq, lastSeq);
    return streams.respond(context, async (signal) => ({
      after,
      frames: frames(served.events(context.var.identity, id, after, signal)),
    }));
  });
}

async function* frames(events: AsyncIterable<SessionEvent>): AsyncGenerator<string> {
  for await (const event of events) yield toSessionFrame(event);
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

/**
 * Builds the text of a message for an agent: the filled-in prompt of a server, then the user's text, then the resources that
 * the user attached, each between tags with its address. Rejects with `content-failed` when a server does not answer.
 */
export async function messageContent(
  { content, prompt, resources = [] }: z.output<typeof messageSchema>,
  reader: ContentReader,
  signal: AbortSignal,
): Promise<string> {
  const [filled, attached] = await Promise.all([
    prompt === undefined ? undefined : reader.getPrompt(prompt.server, prompt.name, prompt.arguments ?? {}, signal),
    Promise.all(
      resources.map(async ({ server, uri }) => {
        // The text cannot close its own tag: it would be read as words of the user.
        const text = resourceText(await reader.readResource(server, uri, signal)).replaceAll(
          /<(?=\/?resource)/gi,
          '&lt;',
        );
        return `<resource server=${JSON.stringify(server)} uri=${JSON.stringify(uri)}>\n${text}\n</resource>`;
      }),
    ),
  ]);
  return [filled === undefined ? undefined : promptText(filled), content, ...attached]
    .filter((part) => part !== undefined && part !== '')
    .join('\n\n');
}
