import { z } from '@hono/zod-openapi';

const toolDiffSchema = z
  .discriminatedUnion('kind', [
    z.object({ tool: z.string(), kind: z.literal('added'), suspicions: z.array(z.string()).readonly() }),
    z.object({ tool: z.string(), kind: z.literal('removed') }),
    z.object({
      tool: z.string(),
      kind: z.literal('changed'),
      differences: z
        .array(
          z.object({
            text: z.string().describe('A sentence for people.'),
            short: z.string().describe('The same without the server’s prose.'),
            weaker: z.boolean().describe('The tool asks for more trust than what was accepted.'),
          }),
        )
        .readonly(),
    }),
  ])
  .openapi('ToolDiff', { description: 'What became of a tool since it was accepted.' });

export const serverLockStatusSchema = z
  .object({
    server: z.string(),
    status: z
      .enum(['unlocked', 'unchanged', 'changed', 'down', 'disabled', 'missing'])
      .describe('`missing`: it is locked, but not configured any more.'),
    isLocked: z.boolean(),
    isPinned: z
      .boolean()
      .describe('It is not locked, and was seen before: what differs from then asks until it is accepted.'),
    tools: z.int().describe('How many tools it has now.'),
    reason: z.string().optional().describe('Why it is down.'),
    diff: z
      .object({
        server: z.string(),
        instructions: z
          .object({
            kind: z.enum(['added', 'removed', 'changed']),
            text: z.string().describe('The difference, for people.'),
          })
          .optional()
          .describe('What became of what the server tells models about itself; until it is accepted it is withheld.'),
        tools: z.array(toolDiffSchema).readonly(),
      })
      .optional(),
    fingerprint: z.string().optional().describe('Identifies what the server says now: give it as `seen`.'),
  })
  .openapi('ServerStanding', {
    description: 'How a server stands to signalbox.lock or, where it is not locked, to what was first seen of it.',
  });

export const lockSchema = z.object({ items: z.array(serverLockStatusSchema).readonly() }).openapi('Lock');

export const acceptRequestSchema = z
  .strictObject({
    seen: z.string().optional().describe('The fingerprint that was looked at: nothing else is accepted then.'),
    tool: z
      .string()
      .optional()
      .describe(
        'Only this tool, by the server’s own name for it. Not for a server that is neither locked nor changed.',
      ),
  })
  .openapi('AcceptRequest');
