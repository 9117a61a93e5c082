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
            text: z.string().describe('The difference as a sentence.'),
            short: z.string().describe('The same without text from the server.'),
            weaker: z.boolean().describe('The new definition needs more trust than the accepted one.'),
          }),
        )
        .readonly(),
    }),
  ])
  .openapi('ToolDiff', { description: 'A difference between a tool and its accepted definition.' });

export const serverLockStatusSchema = z
  .object({
    server: z.string(),
    status: z
      .enum(['unlocked', 'unchanged', 'changed', 'down', 'disabled', 'missing'])
      .describe('`missing`: locked, but no longer configured.'),
    isLocked: z.boolean(),
    isPinned: z
      .boolean()
      .describe(
        'The server is not locked, but its definitions were pinned on first use: calls of changed tools need approval until the change is accepted.',
      ),
    tools: z.int().describe('The number of its tools.'),
    reason: z.string().optional().describe('Why the server is down.'),
    diff: z
      .object({
        server: z.string(),
        instructions: z
          .object({
            kind: z.enum(['added', 'removed', 'changed']),
            text: z.string().describe('The difference as readable text.'),
          })
          .optional()
          .describe('The difference of the server’s instructions for models, which are withheld until accepted.'),
        tools: z.array(toolDiffSchema).readonly(),
      })
      .optional(),
    fingerprint: z.string().optional().describe('Identifies the current definitions: send it as `seen`.'),
  })
  .openapi('ServerStanding', {
    description:
      'The difference between a server and signalbox.lock or, when it is not locked, its pinned definitions.',
  });

export const lockSchema = z.object({ items: z.array(serverLockStatusSchema).readonly() }).openapi('Lock');

export const acceptRequestSchema = z
  .strictObject({
    seen: z
      .string()
      .optional()
      .describe('The reviewed fingerprint: the request is refused when the definitions have changed since.'),
    tool: z
      .string()
      .optional()
      .describe(
        'Accepts only this tool, by its name on the server. Not for a server that is neither locked nor changed.',
      ),
  })
  .openapi('AcceptRequest');
