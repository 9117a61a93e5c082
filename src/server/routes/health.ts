import { createRoute, z } from '@hono/zod-openapi';
import { missingServers } from '../../catalog/snapshot.ts';
import type { Signalbox } from '../../signalbox.ts';
import type { ServerApp } from '../environment.ts';
import { json } from '../typed-json.ts';

const healthSchema = z
  .object({
    status: z.enum(['ok', 'stopping', 'unavailable']),
    journal: z.enum(['ok', 'unavailable']),
    servers: z.enum(['ok', 'unavailable']).describe('Whether every required server is up.'),
  })
  .openapi('Health', { description: 'An answer at all means alive; `ok` means ready for calls.' });

const content = { 'application/json': { schema: healthSchema } };

const route = createRoute({
  method: 'get',
  path: '/api/health',
  tags: ['State'],
  summary: 'Liveness and readiness',
  description: 'The only route that needs no token.',
  security: [],
  responses: {
    200: { description: 'Ready for calls.', content },
    503: { description: 'Alive, but not ready for calls.', content },
  },
});

/** Tells probes how the server is, and nothing that is not theirs to know. */
export function healthRoutes(app: ServerApp, box: Signalbox, stopping: AbortSignal): void {
  app.openapi(route, async (context) => {
    const journal = await box.journal.entries({ limit: 1 }).then(
      () => 'ok' as const,
      () => 'unavailable' as const,
    );
    const servers = missingServers(box.catalog()).length === 0 ? 'ok' : 'unavailable';
    if (stopping.aborted) return json(context, healthSchema, { status: 'stopping', journal, servers }, 503);
    const isReady = journal === 'ok' && servers === 'ok';
    if (!isReady) return json(context, healthSchema, { status: 'unavailable', journal, servers }, 503);
    return json(context, healthSchema, { status: 'ok', journal, servers }, 200);
  });
}
