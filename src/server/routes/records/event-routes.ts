import { createRoute } from '@hono/zod-openapi';
import { routeRoles } from '../../access/route-roles.ts';
import { maySeeHidden } from '../../access/identity.ts';
import type { ServerApp } from '../../http/server-context.ts';
import type { LiveEvents } from '../../streams/live-events.ts';
import { liveEventSchema, typesParameter } from '../../schemas/live-event-schemas.ts';
import { problems, resumeHeaders, resumeQuery } from '../../schemas/route-schemas.ts';
import type { EventStreams } from '../../streams/event-streams.ts';

const route = createRoute({
  method: 'get',
  path: '/api/events',
  'x-roles': routeRoles.read,
  tags: ['Record'],
  summary: 'Stream live events',
  description:
    'Server-sent events of five kinds, named in `event`: `journal` (an entry of `/api/journal`, including approvals; its `id` is its seq), `session` (an event of any session), `catalog` (tools and servers), `approval` (whether the caller of a pending approval still waits), and `ready`, once, after the missed entries. ' +
    'With `Last-Event-ID` or `after`, journal entries are sent without a gap. All other events are live only, so reload displayed data at `ready`. A client that falls far behind is disconnected and can reconnect. Viewers get session events redacted like the journal, without text deltas.',
  request: { query: resumeQuery.extend({ types: typesParameter }), headers: resumeHeaders },
  responses: {
    200: { description: 'A stream of events.', content: { 'text/event-stream': { schema: liveEventSchema } } },
    ...problems(400, 429, 503),
  },
});

export function addEventRoutes(app: ServerApp, live: LiveEvents, streams: EventStreams): void {
  app.openapi(route, (context) => {
    const { after, types } = context.req.valid('query');
    const startSeq = context.req.valid('header')['last-event-id'] ?? after;
    return streams.respond(context, (signal) =>
      live.open({ after: startSeq, filter: types, canSeeHidden: maySeeHidden(context.var.identity) }, signal),
    );
  });
}
