import { createRoute, z } from '@hono/zod-openapi';
import type { Registry } from 'prom-client';
import type { InternalSignalbox } from '../../signalbox/internal-signalbox.ts';
import { may } from '../access/may.ts';
import type { ServerApp } from '../environment.ts';
import { serverGauge } from '../prometheus-registry.ts';
import { problems } from '../schemas/problem.ts';

const route = createRoute({
  method: 'get',
  path: '/metrics',
  'x-roles': may.read,
  tags: ['State'],
  summary: 'Metrics for Prometheus',
  responses: {
    200: { description: 'Prometheus text format.', content: { 'text/plain': { schema: z.string() } } },
    ...problems(),
  },
});

export function metricsRoutes(app: ServerApp, box: InternalSignalbox, registry: Registry): void {
  const showServers = serverGauge(registry);
  app.openapi(route, async (context) => {
    showServers(box.catalog().servers);
    const text = await registry.metrics();
    return context.text(text, 200, { 'Content-Type': registry.contentType });
  });
}
