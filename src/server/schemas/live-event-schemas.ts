import { z } from '@hono/zod-openapi';
import { serverSchema } from './catalog-schemas.ts';
import { entryTypes, journalEntrySchema } from './journal-schemas.ts';
import { sessionEventSchema, sessionEventTypes } from './session-event-schemas.ts';

export const readySchema = z
  .object({
    seq: z.int().describe('The newest journal entry that was told.'),
    catalog: z.int().describe('The version of the catalog.'),
  })
  .openapi('Ready', {
    description:
      'What was missed has been told, and from here on everything is: what is looked up now stays true by the events.',
  });

export const catalogChangeSchema = z
  .object({
    type: z.literal('CatalogChanged'),
    version: z.int(),
    tools: z.int().describe('How many tools can be called now.'),
    servers: z.array(serverSchema).readonly(),
  })
  .openapi('CatalogChange', { description: 'Tools or servers came, went, or changed how they are.' });

export const callerChangeSchema = z
  .object({
    type: z.literal('ApprovalCallerChanged'),
    approvalId: z.string(),
    caller: z.enum(['waiting', 'gone']).describe('As in `Approval`.'),
  })
  .openapi('CallerChange', {
    description:
      'A pending question lost its caller, which cancelled, hung up, ran out of time or died; or a call waits for its answer again.',
  });

export const liveEventSchema = z
  .union([readySchema, journalEntrySchema, sessionEventSchema, catalogChangeSchema, callerChangeSchema])
  .openapi('LiveEvent', { description: 'The data of one message.' });

const wanted = new Set<string>([
  'journal',
  'session',
  'catalog',
  'CatalogChanged',
  'approval',
  'ApprovalCallerChanged',
  ...entryTypes,
  ...sessionEventTypes,
]);

/** `types` of a request: kinds and types with commas between them. */
export const wantedTypes = z
  .string()
  .optional()
  .transform((text) => (text === undefined ? undefined : new Set(text.split(','))))
  .superRefine((types, context) => {
    for (const type of types ?? []) {
      if (!wanted.has(type))
        context.addIssue({
          code: 'custom',
          message: `there is no type "${type}"; there are ${[...wanted].join(', ')}`,
        });
    }
  })
  .openapi({
    type: 'string',
    example: 'catalog,ApprovalRequested,ApprovalResolved',
    description:
      'Tells only these: `journal`, `session`, `catalog`, `approval`, and the `type` of any entry or session event, with commas between. `ready` always comes.',
  });
