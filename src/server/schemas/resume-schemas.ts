import { z } from '@hono/zod-openapi';

const seq = z
  .string()
  .regex(/^\d{1,15}$/, 'it is the id of an event: a whole number')
  .transform(Number)
  .optional();

/** Where a stream goes on: what browsers send by themselves when they connect again, and the same to be written in an address. */
export const resumeHeaders = z.object({
  'last-event-id': seq.openapi({ type: 'string', description: 'The `id` of the last message that was received.' }),
});

export const resumeQuery = z.strictObject({
  after: seq.openapi({ type: 'string', description: 'As `Last-Event-ID`, which goes before it.' }),
});
