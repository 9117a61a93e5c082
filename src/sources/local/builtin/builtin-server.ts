import * as z from 'zod';
import { type ContentBlock, text } from '../../../core/tools/content.ts';
import { defineTool } from '../define-tool.ts';
import { type LocalServer, localServer } from '../local-server.ts';
import { type DisclosureDependencies, disclosureTools } from './disclosure-tools.ts';
import { type PingDependencies, type ServerInfoDependencies, ping, serverInfo } from './server-info.ts';
import { type ReadResultAnswer, type ReadResultDependencies, readResult } from './read-result.ts';

/** Dependencies of the built-in tools. */
export interface BuiltinDependencies
  extends PingDependencies, ServerInfoDependencies, ReadResultDependencies, DisclosureDependencies {}

/** Creates the server that every agent gets, with tools about Signalbox and for large results. */
export function builtinServer(dependencies: BuiltinDependencies): LocalServer {
  return localServer({
    name: dependencies.server,
    tools: [
      defineTool({
        name: 'ping',
        description: 'Checks that tool calls reach Signalbox; answers "pong" with the time.',
        input: z.object({}),
        output: z.object({ status: z.literal('pong'), timestamp: z.string(), server: z.string() }),
        effect: 'read',
        idempotent: true,
        run: () => ping(dependencies),
      }),
      defineTool({
        name: 'get_server_info',
        description:
          'Returns information about the Signalbox that this agent runs in: product, version, port and, on request, its uptime.',
        input: z.object({ include_uptime: z.boolean().default(false).describe('Also tell the uptime in seconds.') }),
        output: z.object({
          product: z.string(),
          // Each branch has a description: without one Zod emits `type` as an array, which some clients reject.
          port: z.union([z.number().describe('Of the HTTP server.'), z.null().describe('There is none.')]),
          version: z.string(),
          uptime_seconds: z.number().optional(),
        }),
        effect: 'read',
        idempotent: true,
        run: ({ include_uptime }) => serverInfo(dependencies, include_uptime),
      }),
      defineTool({
        name: 'read_result',
        description:
          'Reads a part of a tool result that was too large to return whole, by the signalbox:// address in the shortened result.',
        input: z.object({
          uri: z.string().describe('The address of the result, for instance signalbox://results/call_….'),
          offset: z.int().min(0).default(0).describe('Where to begin, in characters.'),
          limit: z.int().min(1).default(32_000).describe('How many characters to read at most.'),
        }),
        effect: 'read',
        idempotent: true,
        run: async (args, { principal }) => pageContent(await readResult(dependencies, args, principal)),
      }),
      ...disclosureTools(dependencies),
    ],
  });
}

/** Returns a page as plain text: JSON would escape it, and clients that show structured content as well would show it twice. */
function pageContent({ text: page, offset, total, next }: ReadResultAnswer): ContentBlock[] {
  const place = `characters ${offset} to ${offset + page.length} of ${total}`;
  return [
    text(page),
    text(next === undefined ? `[${place}; this is the end.]` : `[${place}; read on at offset ${next}.]`),
  ];
}
