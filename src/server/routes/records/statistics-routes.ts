import { createRoute, z } from '@hono/zod-openapi';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { Problem } from '../../problems/problem.ts';
import { timeParameter, toolParameter } from '../../schemas/journal-query-schemas.ts';
import { problems } from '../../schemas/problem-schemas.ts';
import { statisticsSchema } from '../../schemas/statistics-schemas.ts';
import { json } from '../../http/json-response.ts';

const usualWindow = 24 * 60 * 60 * 1000;
const usualBuckets = 60;
const mostBuckets = 1000;
const mostTools = 500;
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const roundSeconds = [1, 5, 10, 30, minute, 5 * minute, 10 * minute, 30 * minute, hour, 3 * hour, 6 * hour, day];

const route = createRoute({
  method: 'get',
  path: '/api/statistics',
  'x-roles': routeRoles.read,
  tags: ['Record'],
  summary: 'How many calls ended, how, and how fast',
  description: 'In all, in steps of time, and by tool and by server. Buckets begin at multiples of their length.',
  request: {
    query: z.strictObject({
      since: timeParameter.describe('A day before `until` unless said.'),
      until: timeParameter.describe('Now unless said.'),
      bucketSeconds: z.coerce
        .number<string>()
        .int()
        .min(1)
        .max(100 * 366 * day)
        .optional()
        .describe(`A round time that makes about ${usualBuckets} buckets unless said; at most ${mostBuckets} buckets.`),
      tool: toolParameter,
      server: z.string().optional().describe('Only calls of this server’s tools.'),
    }),
  },
  responses: {
    200: { description: 'The calls, counted.', content: { 'application/json': { schema: statisticsSchema } } },
    ...problems(400, 503),
  },
});

export function addStatisticsRoutes(app: ServerApp, box: InternalSignalbox): void {
  app.openapi(route, async (context) => {
    const { tool, server, until = Date.now(), ...given } = context.req.valid('query');
    const begin = Math.max(0, given.since ?? until - usualWindow);
    const bucketSeconds = given.bucketSeconds ?? roundBucket((until - begin) / 1000);
    const bucketMs = bucketSeconds * 1000;
    const since = Math.floor(begin / bucketMs) * bucketMs;
    if (since >= until) throw new Problem('request-invalid', 'query.since: expected a time before `until`');
    if (until - since > mostBuckets * bucketMs)
      throw new Problem(
        'request-invalid',
        `query.bucketSeconds: that makes more than ${mostBuckets} buckets; take longer ones or a shorter time`,
      );
    const found = await box.journal.statistics({
      since,
      until,
      bucketMs,
      signal: context.req.raw.signal,
      ...(tool === undefined ? {} : { tool }),
      ...(server === undefined ? {} : { server }),
    });
    const { at: prunedAt } = await box.journal.beginning();
    const body = {
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
      bucketSeconds,
      ...found,
      buckets: found.buckets.map(({ at, ...bucket }) => ({ at: new Date(at).toISOString(), ...bucket })),
      tools: found.tools.slice(0, mostTools),
      ...(since > prunedAt || prunedAt === 0 ? {} : { prunedUntil: new Date(prunedAt).toISOString() }),
    };
    return json(context, statisticsSchema, body, 200);
  });
}

/** The shortest round time of which no more than the usual number fit. */
function roundBucket(seconds: number): number {
  const shortest = seconds / usualBuckets;
  return roundSeconds.find((round) => round >= shortest) ?? Math.ceil(shortest / day) * day;
}
