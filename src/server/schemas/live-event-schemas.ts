import { z } from '@hono/zod-openapi';
import { serverSchema } from './catalog-schemas.ts';
import { entryTypes, journalEntrySchema } from './journal-schemas.ts';
import { sessionEventSchema, sessionEventTypes } from './session-event-schemas.ts';

export const readySchema = z
  .object({
    seq: z.int().describe('The newest journal entry that was sent.'),
    catalog: z.int().describe('The version of the catalog.'),
  })
  .openapi('Ready', {
    description:
      'All missed entries have been sent, and live events follow. Data that is loaded now stays current with the events.',
  });

export const catalogChangeSchema = z
  .object({
    type: z.literal('CatalogChanged'),
    version: z.int(),
    tools: z.int().describe('The number of tools that can be called.'),
    servers: z.array(serverSchema).readonly(),
  })
  .openapi('CatalogChange', { description: 'Tools or servers were added, removed or changed.' });

export const callerChangeSchema = z
  .object({
    type: z.literal('ApprovalCallerChanged'),
    approvalId: z.string(),
    caller: z.enum(['waiting', 'gone']).describe('As in `Approval`.'),
  })
  .openapi('CallerChange', {
    description:
      'A pending question lost its caller (cancelled, disconnected, timed out or crashed), or a call waits for its answer again.',
  });

export const liveEventSchema = z
  .union([readySchema, journalEntrySchema, sessionEventSchema, catalogChangeSchema, callerChangeSchema])
  .openapi('LiveEvent', { description: 'The `data` of one event.' });

const allTypes = new Set<string>([
  'journal',
  'session',
  'catalog',
  'CatalogChanged',
  'approval',
  'ApprovalCallerChanged',
  ...entryTypes,
  ...sessionEventTypes,
]);

/** The query parameter `types`: a comma-separated list of kinds and types. */
export const typesParameter = z
  .string()
  .optional()
  .transform((text) => (text === undefined ? undefined : new Set(text.split(','))))
  .superRefine((types, context) => {
    for (const type of types ?? []) {
      if (!allTypes.has(type))
        context.addIssue({
          code: 'custom',
          message: `unknown type "${type}"; the types are ${[...allTypes].join(', ')}`,
        });
    }
  })
  .openapi({
    type: 'string',
    example: 'catalog,ApprovalRequested,ApprovalResolved',
    description:
      'Sends only these events, separated by commas: `journal`, `session`, `catalog`, `approval`, or the `type` of an entry or session event. `ready` is always sent.',
  });
