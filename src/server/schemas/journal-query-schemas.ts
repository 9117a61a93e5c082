import { z } from '@hono/zod-openapi';
import { canonicalName } from '../../core/tools/tool-names.ts';
import type { JournalQuery } from '../../journal/queries/journal-reader.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { outcome } from './call-schemas.ts';
import { entryTypes } from './journal-schemas.ts';

const seq = z.coerce.number<string>().int().min(0).optional();

/** A time in a query, in milliseconds. */
export const timeParameter = z
  .string()
  .refine(
    (text) => !Number.isNaN(new Date(millisecondsOf(text)).getTime()),
    'a time is ISO 8601 (2026-11-15T08:30:00Z) or milliseconds since 1970',
  )
  .transform(millisecondsOf)
  .optional()
  .openapi({ type: 'string', description: 'ISO 8601, or milliseconds since 1970.' });

/** A tool name in a query. */
export const toolParameter = z
  .string()
  .transform(canonicalName)
  .optional()
  .openapi({ type: 'string', description: 'The tool, by its rendered name or by `mcp__{server}__{tool}`.' });

/** The filters of calls and journal entries. */
export const callQuerySchema = z.strictObject({
  session: z.string().optional(),
  tool: toolParameter,
  server: z.string().optional(),
  outcome: outcome.optional(),
  decision: z.enum(['allow', 'ask', 'deny']).optional().describe('The decision of the policy.'),
  principal: z.string().max(400).optional().describe('Only calls by this principal, or by agents that act for it.'),
  shadowed: z
    .literal('true')
    .transform(() => true as const)
    .optional()
    .openapi({
      type: 'string',
      enum: ['true'],
      description: 'Only calls that a rule in shadow mode would have decided differently.',
    }),
  text: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Only entries with this text in the tool name, arguments, output, decision or error. ASCII letters are case-insensitive.',
    ),
  since: timeParameter,
  until: timeParameter,
  before: seq.describe('Only entries with a smaller seq.'),
  after: seq.describe('Only entries with a greater seq. Sorted oldest first, unless `order` is set.'),
  order: z.enum(['newest-first', 'oldest-first']).optional(),
  limit: z.coerce.number<string>().int().min(1).max(1000).default(100),
});

/** The filters of calls, and the type of an entry. */
export const journalQuerySchema = callQuerySchema.extend({ type: z.enum(entryTypes).optional() });

/** Returns the journal query. With `after`, the default order is oldest first, so that paging forward misses no entries. */
export function toJournalQuery({ order, ...query }: z.output<typeof journalQuerySchema>): JournalQuery {
  const filters = omitUndefined(query);
  const defaultOrder = filters.after !== undefined && filters.before === undefined ? 'oldest-first' : 'newest-first';
  return { ...filters, order: order ?? defaultOrder };
}

function millisecondsOf(text: string): number {
  return /^\d{1,16}$/.test(text) ? Number(text) : Date.parse(text);
}
