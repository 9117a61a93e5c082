import { createRoute, z } from '@hono/zod-openapi';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { routeRoles } from '../../access/route-roles.ts';
import type { ServerApp } from '../../http/server-context.ts';
import { Problem } from '../../problems/problem.ts';
import { timeParameter, toolParameter } from '../../schemas/journal-query-schemas.ts';
import { jsonResponse, problems } from '../../schemas/route-schemas.ts';
import { outcome } from '../../schemas/call-schemas.ts';
import { timestamp } from '../../schemas/json-schemas.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { json } from '../../http/json-response.ts';

const defaultWindowMs = 24 * 60 * 60 * 1000;
const defaultBuckets = 60;
const maxBuckets = 1000;
const maxTools = 500;
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const roundSeconds = [1, 5, 10, 30, minute, 5 * minute, 10 * minute, 30 * minute, hour, 3 * hour, 6 * hour, day];

const callCounts = {
  calls: z.int().describe('The number of calls that ended.'),
  outcomes: z
    .partialRecord(outcome, z.int())
    .describe('The number of calls by outcome, without zeros.')
    .openapi({ type: 'object', additionalProperties: { type: 'integer' }, example: { completed: 12, failed: 1 } }),
  latencyMs: z
    .object({ p50: z.number(), p95: z.number(), p99: z.number() })
    .optional()
    .describe('The latency of calls that reached their tool; absent when none did.'),
};

export const statisticsSchema = z
  .object({
    since: timestamp.describe('The start of the first bucket.'),
    until: timestamp,
    bucketSeconds: z.int(),
    total: z.object(callCounts),
    buckets: z
      .array(z.object({ at: timestamp.describe('The start of the bucket.'), ...callCounts }))
      .readonly()
      .describe('One entry for each interval in order, including those without calls.'),
    tools: z
      .array(z.object({ tool: z.string(), server: z.string(), ...callCounts }))
      .readonly()
      .describe('Most called first; at most 500.'),
    prunedUntil: timestamp
      .optional()
      .describe('Entries up to this time were pruned from the journal and are not counted.'),
    servers: z.array(z.object({ server: z.string(), ...callCounts })).readonly(),
  })
  .openapi('Statistics', {
    description: 'The counts, outcomes and latencies of the calls that ended in a time range.',
  });

const route = createRoute({
  method: 'get',
  path: '/api/statistics',
  'x-roles': routeRoles.read,
  tags: ['Record'],
  summary: 'Get call statistics',
  description:
    'Counts, outcomes and latencies: in total, by time bucket, by tool and by server. Buckets start at multiples of their length.',
  request: {
    query: z.strictObject({
      since: timeParameter.describe('The default is one day before `until`.'),
      until: timeParameter.describe('The default is now.'),
      bucketSeconds: z.coerce
        .number<string>()
        .int()
        .min(1)
        .max(100 * 366 * day)
        .optional()
        .describe(
          `The default is a round duration that gives up to ${defaultBuckets} buckets. The maximum is ${maxBuckets} buckets.`,
        ),
      tool: toolParameter,
      server: z.string().optional().describe('Only calls of this server’s tools.'),
    }),
  },
  responses: { 200: jsonResponse('The statistics.', statisticsSchema), ...problems(400, 503) },
});

export function addStatisticsRoutes(app: ServerApp, box: InternalSignalbox): void {
  app.openapi(route, async (context) => {
    const { tool, server, until = Date.now(), ...range } = context.req.valid('query');
    const begin = Math.max(0, range.since ?? until - defaultWindowMs);
    const bucketSeconds = range.bucketSeconds ?? roundBucket((until - begin) / 1000);
    const bucketMs = bucketSeconds * 1000;
    const since = Math.floor(begin / bucketMs) * bucketMs;
    if (since >= until) throw new Problem('request-invalid', 'query.since: expected a time before `until`');
    if (until - since > maxBuckets * bucketMs)
      throw new Problem(
        'request-invalid',
        `query.bucketSeconds: more than ${maxBuckets} buckets; use longer buckets or a shorter time range`,
      );
    const found = await box.journal.statistics({
      since,
      until,
      bucketMs,
      signal: context.req.raw.signal,
      ...omitUndefined({ tool, server }),
    });
    const { at: prunedAt } = await box.journal.beginning();
    const body = {
      since: new Date(since).toISOString(),
      until: new Date(until).toISOString(),
      bucketSeconds,
      ...found,
      buckets: found.buckets.map(({ at, ...bucket }) => ({ at: new Date(at).toISOString(), ...bucket })),
      tools: found.tools.slice(0, maxTools),
      ...(since > prunedAt || prunedAt === 0 ? {} : { prunedUntil: new Date(prunedAt).toISOString() }),
    };
    return json(context, statisticsSchema, body, 200);
  });
}

/** Returns the shortest round duration that gives no more than `defaultBuckets`. */
function roundBucket(seconds: number): number {
  const shortest = seconds / defaultBuckets;
  return roundSeconds.find((round) => round >= shortest) ?? Math.ceil(shortest / day) * day;
}
