import { createRoute } from '@hono/zod-openapi';
import { routeRoles } from '../../access/route-roles.ts';
import { maySeeHidden } from '../../access/identity.ts';
import type { ServerApp } from '../../http/server-context.ts';
import type { LiveEvents } from '../../streams/live-events.ts';
import { resumeHeaders, resumeQuery } from '../../schemas/resume-schemas.ts';
import { liveEventSchema, wantedTypes } from '../../schemas/live-event-schemas.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import type { EventStreams } from '../../streams/event-streams.ts';

const route = createRoute({
  method: 'get',
  path: '/api/events',
  'x-roles': routeRoles.read,
  tags: ['Record'],
  summary: 'Everything that happens, live',
  description:
    'Server-sent events of five kinds, by their `event`: `journal` (an entry as `/api/journal` shows it, approvals among them; its `id` is its seq), `session` (an event of any session), `catalog` (tools and servers), `approval` (whether the caller of a pending question still waits), and `ready`, once, after the missed entries. ' +
    'With `Last-Event-ID` or `after`, journal entries come without a gap; all other events are live only, so reload what you show when `ready` comes. A client that falls far behind is disconnected and reconnects. Viewers get events of sessions redacted like the journal, without pieces of text.',
  request: { query: resumeQuery.extend({ types: wantedTypes }), headers: resumeHeaders },
  responses: {
    200: { description: 'One event in each message.', content: { 'text/event-stream': { schema: liveEventSchema } } },
    ...problems(400, 429, 503),
  },
});

export function addEventRoutes(app: ServerApp, live: LiveEvents, streams: EventStreams): void {
  app.openapi(route, (context) => {
    const { after, types } = context.req.valid('query');
    const from = context.req.valid('header')['last-event-id'] ?? after;
    return streams.answer(context, (signal) =>
      live.open({ after: from, wants: types, isWhole: maySeeHidden(context.var.identity) }, signal),
    );
  });
}
