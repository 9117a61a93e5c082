import { z } from '@hono/zod-openapi';

const seq = z
  .string()
  .regex(/^\d{1,15}$/, 'expected the id of an event, an integer')
  .transform(Number)
  .optional();

/** The event id to resume after. Browsers send the header when they reconnect; the query parameter is for URLs. */
export const resumeHeaders = z.object({
  'last-event-id': seq.openapi({ type: 'string', description: 'The `id` of the last received event.' }),
});

export const resumeQuery = z.strictObject({
  after: seq.openapi({ type: 'string', description: 'Like `Last-Event-ID`, which takes precedence.' }),
});
