import { z } from '@hono/zod-openapi';
import { effects } from '../../core/tools/tool.ts';
import { jsonObject, jsonSchema, timestamp } from './json-schemas.ts';

export const effect = z.enum(effects).openapi('Effect', { description: 'What a tool does to the world.' });

export const toolSchema = z
  .object({
    id: z.object({ server: z.string(), tool: z.string() }),
    name: z.string().openapi({ example: 'mcp__signalbox__ping' }),
    renamedFrom: z.string().optional().describe('The server’s name for it, where it was given another.'),
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
      .describe('Why every call asks: the definition differs from the accepted one.'),
    definitionHash: z.string().describe('What a call is pinned to; another hash means another tool.'),
  })
  .openapi('Tool');

const server = {
  name: z.string(),
  adapter: z.string().openapi({ example: 'local:notes' }),
  status: z.enum(['up', 'down', 'disabled']),
  since: timestamp.describe('Since when it has this status.'),
  reason: z.string().optional().describe('Why it is not up.'),
  needsSignIn: z.literal(true).optional().describe('It is down until a person signs in at it.'),
  isFailing: z.literal(true).optional().describe('It is down and says itself that it fails: whoever runs it can help.'),
  connecting: z.literal(true).optional().describe('It was not tried to the end yet.'),
  required: z.literal(true).optional().describe('Turns and readiness depend on it.'),
  tools: z.int().describe('How many of its tools can be called now.'),
};

export const serverSchema = z.object(server).openapi('Server');

const healthSchema = z
  .object({
    state: z
      .enum(['connecting', 'up', 'idle', 'down', 'stopped'])
      .describe('`idle`: stopped because nobody called it; the next call starts it again.'),
    since: timestamp,
    lastError: z.string().optional(),
    nextRetryAt: timestamp.optional(),
    restarts: z.int().describe('How often it was connected to again.'),
    protocolVersion: z.string().optional(),
    serverInfo: jsonObject.optional().describe('What the server says of itself.'),
  })
  .openapi('ServerHealth', {
    description: 'How a server outside this process is doing; absent for those that are in it.',
  });

const serverState = { ...server, health: healthSchema.optional() };

export const serverStateSchema = z.object(serverState).openapi('ServerState');

export const serverDetailsSchema = z
  .object({
    ...serverState,
    signIn: z
      .object({ state: z.enum(['waiting', 'signed-in', 'failed']), since: timestamp, error: z.string().optional() })
      .optional()
      .describe('The last sign-in that was begun here.'),
    configured: z.boolean().describe('It stands in the configuration file, and can be removed from it.'),
    stderr: z.array(z.string()).readonly().describe('The last 200 lines it wrote to its error output, or logged.'),
  })
  .openapi('ServerDetails');

/** The parts of a tool's names that its rendered name leaves out. */
export const naming = {
  ownName: z.string().optional().describe('The tool’s name before it was shortened or characters were replaced.'),
  renamedFrom: z.string().optional().describe('The server’s name for the tool, where it was given another.'),
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
  .openapi('HiddenTool', { description: 'A tool that exists but is not offered, and why.' });

export const catalogSchema = z
  .object({
    items: z.array(toolSchema).readonly().describe('The tools that can be called now.'),
    version: z.int(),
    servers: z.array(serverSchema).readonly(),
    hidden: z.array(hiddenToolSchema).readonly(),
    notices: z
      .array(
        z.object({
          server: z.string(),
          tool: z.string(),
          message: z.string(),
          isSuspicious: z.literal(true).optional().describe('It is about what looks like an attack.'),
        }),
      )
      .readonly(),
  })
  .openapi('Catalog');
