import { createRoute, z } from '@hono/zod-openapi';
import type { SessionEvent } from '../../../sessions/events/session-event.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { resumeHeaders, resumeQuery } from '../../schemas/resume-schemas.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import { sessionEventSchema } from '../../schemas/session-event-schemas.ts';
import type { SessionAccess } from './session-access.ts';
import { type EventStreams, toSessionFrame } from '../../streams/event-streams.ts';

const route = createRoute({
  method: 'get',
  path: '/api/sessions/{id}/events',
  'x-roles': routeRoles.look,
  tags: ['Sessions'],
  summary: 'Stream the events of a session',
  description:
    'Server-sent events: first those of the running or last turn, or with `Last-Event-ID` or `after` those after that event; then live events until the session is deleted. No event is missing or repeated. Viewers get events redacted like the journal, and each text at once when it is complete.',
  request: { params: z.object({ id: z.string() }), query: resumeQuery, headers: resumeHeaders },
  responses: {
    200: {
      description: 'A stream of events.',
      content: { 'text/event-stream': { schema: sessionEventSchema } },
    },
    ...problems(400, 404, 429, 503),
  },
});

/** Adds the route that streams the events of a session. */
export function addSessionEventRoutes(app: ServerApp, served: SessionAccess, streams: EventStreams): void {
  app.openapi(route, async (context) => {
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
