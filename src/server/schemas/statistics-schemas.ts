import { z } from '@hono/zod-openapi';
import { outcome } from './call-schemas.ts';
import { timestamp } from './json-schemas.ts';

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
