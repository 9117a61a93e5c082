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
  summary: 'What happens in a session, live',
  description:
    'Server-sent events. First what the turn that runs, or the last one, told so far, or with `Last-Event-ID` or `after` what was told since; then what comes, until the session is deleted. No event is missing and none comes twice. Viewers get it redacted like the journal, and each text at once when it is complete.',
  request: { params: z.object({ id: z.string() }), query: resumeQuery, headers: resumeHeaders },
  responses: {
    200: {
      description: 'One event in each message.',
      content: { 'text/event-stream': { schema: sessionEventSchema } },
    },
    ...problems(400, 404, 429, 503),
  },
});

/** Watching a session: as many as like, from wherever they were cut off. */
export function addSessionEventRoutes(app: ServerApp, served: SessionAccess, streams: EventStreams): void {
  app.openapi(route, async (context) => {
    const { id, lastSeq } = await served.one(context.var.identity, context.req.valid('param').id);
    const from = context.req.valid('header')['last-event-id'] ?? context.req.valid('query').after;
    // A place that the session has not reached must not be what the client comes back with: what comes until then would be left out.
    const after = from === undefined ? undefined : Math.min(from, lastSeq);
    return streams.answer(context, async (signal) => ({
      after,
      frames: frames(served.events(context.var.identity, id, after, signal)),
    }));
  });
}

async function* frames(events: AsyncIterable<SessionEvent>): AsyncGenerator<string> {
  for await (const event of events) yield toSessionFrame(event);
}
