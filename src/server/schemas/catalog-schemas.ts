import { z } from '@hono/zod-openapi';
import { effects } from '../../core/tools/tool.ts';
import { jsonObject, jsonSchema, timestamp } from './json-schemas.ts';

export const effect = z.enum(effects).openapi('Effect', { description: 'The effect of a tool on the world.' });

export const toolSchema = z
  .object({
    id: z.object({ server: z.string(), tool: z.string() }),
    name: z.string().openapi({ example: 'mcp__signalbox__ping' }),
    renamedFrom: z.string().optional().describe('The name on the server, when the tool was renamed.'),
    title: z.string().optional(),
    description: z.string(),
    inputSchema: jsonSchema,
    outputSchema: jsonSchema.optional(),
    annotations: z.object({
      title: z.string().optional(),
      readOnlyHint: z.boolean().optional(),
      destructiveHint: z.boolean().optional(),
      idempotentHint: z.boolean().optional(),
      openWorldHint: z.boolean().optional(),
    }),
    effect,
    idempotent: z.boolean(),
    labels: z.array(z.string()).readonly(),
    timeoutMs: z.number().optional(),
    providerOptions: jsonObject.optional(),
    _meta: jsonObject.optional(),
    unaccepted: z
      .object({ kind: z.enum(['changed', 'new']), reason: z.string() })
      .optional()
      .describe('Present when every call needs approval, because the definition differs from the accepted one.'),
    definitionHash: z.string().describe('Identifies the definition. Calls can be pinned to it.'),
  })
  .openapi('Tool');

const server = {
  name: z.string(),
  adapter: z.string().openapi({ example: 'local:notes' }),
  status: z.enum(['up', 'down', 'disabled']),
  since: timestamp.describe('The time of the last change of `status`.'),
  reason: z.string().optional().describe('Why the server is not up.'),
  needsSignIn: z.literal(true).optional().describe('The server is down until a person signs in to it.'),
  isFailing: z
    .literal(true)
    .optional()
    .describe('The server is down and reports an error of its own, which its operator can fix.'),
  connecting: z.literal(true).optional().describe('The first connection attempt is not finished.'),
  required: z.literal(true).optional().describe('Turns and readiness require this server.'),
  tools: z.int().describe('The number of its tools that can be called.'),
};

export const serverSchema = z.object(server).openapi('Server');

const healthSchema = z
  .object({
    state: z
      .enum(['connecting', 'up', 'idle', 'down', 'stopped'])
      .describe('`idle`: stopped because it was not used; the next call starts it again.'),
    since: timestamp,
    lastError: z.string().optional(),
    nextRetryAt: timestamp.optional(),
    restarts: z.int().describe('The number of reconnections.'),
    protocolVersion: z.string().optional(),
    serverInfo: jsonObject.optional().describe('The name and version as reported by the server.'),
  })
  .openapi('ServerHealth', {
    description: 'The health of an external server; absent for servers in this process.',
  });

const serverState = { ...server, health: healthSchema.optional() };

export const serverStateSchema = z.object(serverState).openapi('ServerState');

export const serverDetailsSchema = z
  .object({
    ...serverState,
    signIn: z
      .object({ state: z.enum(['waiting', 'signed-in', 'failed']), since: timestamp, error: z.string().optional() })
      .optional()
      .describe('The last sign-in that was started on this server.'),
    configured: z.boolean().describe('The server is in the configuration file, and can be removed from it.'),
    stderr: z.array(z.string()).readonly().describe('The last 200 lines of its error output and log.'),
  })
  .openapi('ServerDetails');

/** The names of a tool that differ from its rendered name. */
export const naming = {
  ownName: z.string().optional().describe('The tool name before it was shortened or characters were replaced.'),
  renamedFrom: z.string().optional().describe('The name on the server, when the tool was renamed.'),
};

export const hiddenToolSchema = z
  .object({
    name: z.string(),
    server: z.string(),
    ...naming,
    by: z.enum([
      'server-disabled',
      'server-down',
      'name-collision',
      'definition-invalid',
      'lock',
      'rule',
      'transform',
      'profile',
    ]),
    reason: z.string(),
    since: timestamp,
  })
  .openapi('HiddenTool', { description: 'A tool that is not offered, and why.' });

export const catalogSchema = z
  .object({
    items: z.array(toolSchema).readonly().describe('The tools that can be called.'),
    version: z.int(),
    servers: z.array(serverSchema).readonly(),
    hidden: z.array(hiddenToolSchema).readonly(),
    notices: z
      .array(
        z.object({
          server: z.string(),
          tool: z.string(),
          message: z.string(),
          isSuspicious: z.literal(true).optional().describe('The notice is about a possible attack.'),
        }),
      )
      .readonly(),
  })
  .openapi('Catalog');
