import * as z from 'zod';
import { type OwnTool, defineTool } from '../define-tool.ts';
import type { ConfigurationBook } from './configuration-book.ts';
import { getConfig } from './get-config.ts';
import { setConfig } from './set-config.ts';

/** The built-in tools about the configuration. */
export function configurationTools(configuration: ConfigurationBook): OwnTool[] {
  return [
    defineTool({
      name: 'get_config',
      description: 'Returns the configuration of Signalbox, whole or at one path, without secrets.',
      input: z.object({
        path: z
          .string()
          .optional()
          .describe('A place, like "mcpServers.files" or "results.maxBytes"; all unless given.'),
      }),
      effect: 'read',
      idempotent: true,
      run: (args) => getConfig(configuration, args),
    }),
    defineTool({
      name: 'set_config',
      description:
        'Changes the configuration of Signalbox: limits of servers (timeoutMs, concurrency, idleStopMs), results.maxBytes, or disabled: true to turn a server off. Everything else is for humans.',
      input: z.object({
        path: z.string().describe('The place, like "mcpServers.files.timeoutMs".'),
        value: z
          // Each branch has a description: without one Zod emits `type` as an array, which some clients reject.
          .union([
            z.number().describe('A limit.'),
            z.boolean().describe('true turns a server off.'),
            z.null().describe('The default.'),
          ])
          .describe('The new value; null brings the default back.'),
      }),
      effect: 'undoable',
      idempotent: true,
      run: ({ path, value }, { callId }) => setConfig(configuration, { path, value }, callId),
      // Calls that did not complete are taken back by Signalbox itself.
      undo: (_, { callId, principal }) => configuration.undo(callId, principal.kind === 'system'),
    }),
  ];
}
