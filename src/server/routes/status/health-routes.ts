import { createRoute, z } from '@hono/zod-openapi';
import { missingServers } from '../../../catalog/snapshot.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { jsonResponse } from '../../schemas/route-schemas.ts';
import { json } from '../../http/json-response.ts';

const healthSchema = z
  .object({
    status: z.enum(['ok', 'stopping', 'unavailable']),
    journal: z.enum(['ok', 'unavailable']),
    servers: z.enum(['ok', 'unavailable']).describe('Whether every required server is up.'),
    starting: z
      .number()
      .int()
      .describe('The number of servers in their first start. Readiness waits only for required servers.'),
  })
  .openapi('Health', { description: 'Any response means alive; `ok` means ready for calls.' });
const aliveSchema = z.object({ status: z.literal('ok') }).openapi('Alive');

const responses = {
  200: jsonResponse('Ready for calls.', healthSchema),
  503: jsonResponse('Alive, but not ready for calls.', healthSchema),
};

const healthRoute = createRoute({
  method: 'get',
  path: '/api/health',
  tags: ['State'],
  summary: 'Check readiness',
  description: 'Needs no token, like the other health routes. Same as `/api/health/ready`.',
  security: [],
  responses,
});
const readyRoute = createRoute({
  method: 'get',
  path: '/api/health/ready',
  tags: ['State'],
  summary: 'Check readiness (for load balancers)',
  description: 'Returns 503 `stopping` as soon as the server shuts down. The store is checked at most once a second.',
  security: [],
  responses,
});
const liveRoute = createRoute({
  method: 'get',
  path: '/api/health/live',
  tags: ['State'],
  summary: 'Check liveness',
  description: 'Checks only the process: a restart does not help when the database is unavailable.',
  security: [],
  responses: { 200: jsonResponse('The process is alive.', aliveSchema) },
});

/** Adds the routes of health probes. They need no token, so they reveal no details. */
export function addHealthRoutes(app: ServerApp, box: InternalSignalbox, draining: AbortSignal): void {
  const store = new StoreCheck(box);
  for (const route of [healthRoute, readyRoute])
    app.openapi(route, async (context) => {
      const journal = (await store.isReadable()) ? 'ok' : 'unavailable';
      const catalog = box.catalog();
      const servers = missingServers(catalog).length === 0 ? 'ok' : 'unavailable';
      const starting = catalog.servers.filter(({ connecting }) => connecting === true).length;
      const isReady = journal === 'ok' && servers === 'ok';
      const status = draining.aborted ? 'stopping' : isReady ? 'ok' : 'unavailable';
      return json(context, healthSchema, { status, journal, servers, starting }, status === 'ok' ? 200 : 503);
    });
  app.openapi(liveRoute, (context) => json(context, aliveSchema, { status: 'ok' }, 200));
}

/** The time for which a result is reused. */
const resultTtlMs = 1000;
/** A read that takes longer counts as a failure. */
const readTimeoutMs = 2000;

/** Checks whether the journal can be read, at most once a second and with a timeout. */
class StoreCheck {
  readonly #box: InternalSignalbox;
  #result: Promise<boolean> = Promise.resolve(false);
  #checkedAt = Number.NEGATIVE_INFINITY;

  constructor(box: InternalSignalbox) {
    this.#box = box;
  }

  isReadable(): Promise<boolean> {
    const now = performance.now();
    if (now - this.#checkedAt >= resultTtlMs) {
      this.#checkedAt = now;
      this.#result = this.#check();
    }
    return this.#result;
  }

  #check(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, readTimeoutMs, false);
      const end = (isReadable: boolean): void => {
        clearTimeout(timer);
        resolve(isReadable);
      };
      this.#box.journal.query({ limit: 1 }).then(
        () => end(true),
        () => end(false),
      );
    });
  }
}
