import { createRoute, z } from '@hono/zod-openapi';
import type { Registry } from 'prom-client';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { serverGauge } from '../../metrics/prometheus-registry.ts';
import { problems } from '../../schemas/route-schemas.ts';

const route = createRoute({
  method: 'get',
  path: '/metrics',
  'x-roles': routeRoles.read,
  tags: ['State'],
  summary: 'Get metrics for Prometheus',
  responses: {
    200: { description: 'Prometheus text format.', content: { 'text/plain': { schema: z.string() } } },
    ...problems(),
  },
});

export function addMetricsRoutes(app: ServerApp, box: InternalSignalbox, registry: Registry): void {
  const showServers = serverGauge(registry);
  app.openapi(route, async (context) => {
    showServers(box.catalog().servers);
    const text = await registry.metrics();
    return context.text(text, 200, { 'Content-Type': registry.contentType });
  });
}
