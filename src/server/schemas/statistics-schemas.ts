import { z } from '@hono/zod-openapi';
import { outcome } from './call-schemas.ts';
import { timestamp } from './json-schemas.ts';

const tally = {
  calls: z.int().describe('How many ended.'),
  outcomes: z
    .partialRecord(outcome, z.int())
    .describe('How many ended so; those that are none are left out.')
    .openapi({ type: 'object', additionalProperties: { type: 'integer' }, example: { completed: 12, failed: 1 } }),
  latencyMs: z
    .object({ p50: z.number(), p95: z.number(), p99: z.number() })
    .optional()
    .describe('How long those took that reached their tool; absent when none did.'),
};

export const statisticsSchema = z
  .object({
    since: timestamp.describe('Where the first bucket begins.'),
    until: timestamp,
    bucketSeconds: z.int(),
    total: z.object(tally),
    buckets: z
      .array(z.object({ at: timestamp.describe('Where it begins.'), ...tally }))
      .readonly()
      .describe('One for each stretch of time, in order, also for those without calls.'),
    tools: z
      .array(z.object({ tool: z.string(), server: z.string(), ...tally }))
      .readonly()
      .describe('Most called first; at most 500.'),
    prunedUntil: timestamp.optional().describe('Entries up to then were pruned from the journal, and are not counted.'),
    servers: z.array(z.object({ server: z.string(), ...tally })).readonly(),
  })
  .openapi('Statistics', { description: 'The calls that ended in a time: how many, how, and how fast.' });
