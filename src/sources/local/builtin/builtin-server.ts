import * as z from 'zod';
import { callOfResult } from '../../../core/calls/result-uri.ts';
import { SignalboxError } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { type ContentBlock, text } from '../../../core/tools/content.ts';
import type { ResultPage } from '../../../journal/store/store.ts';
import { defineTool } from '../define-tool.ts';
import { type LocalServer, localServer } from '../local-server.ts';
import { type DisclosureDependencies, disclosureTools } from './disclosure-tools.ts';

/** Dependencies of the built-in tools. */
export interface BuiltinDependencies extends DisclosureDependencies {
  /** The name of the built-in server. */
  readonly server: string;
  readonly version: string;
  /** The port of the HTTP server; undefined when there is none, as in the library. */
  readonly port: number | undefined;
  now(): Date;
  uptimeSeconds(): number;
  readResult(id: string, offset: number, limit: number): Promise<ResultPage | undefined>;
  /** Maximum length of a page of a result, in characters. */
  readonly longestPage: number;
}

const pong = z.object({ status: z.literal('pong'), timestamp: z.string(), server: z.string() });
const serverInformation = z.object({
  product: z.string(),
  // Each branch has a description: without one Zod emits `type` as an array, which some clients reject.
  port: z.union([z.number().describe('Of the HTTP server.'), z.null().describe('There is none.')]),
  version: z.string(),
  uptime_seconds: z.number().optional(),
});
const resultRange = z.object({
  uri: z.string().describe('The URI of the result, for instance signalbox://results/call_….'),
  offset: z.int().min(0).default(0).describe('The first character to read.'),
  limit: z.int().min(1).default(32_000).describe('The maximum number of characters to read.'),
});

/** Creates the server that every agent gets, with tools about Signalbox and for large results. */
export function builtinServer(dependencies: BuiltinDependencies): LocalServer {
  return localServer({
    name: dependencies.server,
    tools: [
      defineTool({
        name: 'ping',
        description: 'Checks that tool calls reach Signalbox; answers "pong" with the time.',
        input: z.object({}),
        output: pong,
        effect: 'read',
        idempotent: true,
        run: () => ping(dependencies),
      }),
      defineTool({
        name: 'get_server_info',
        description:
          'Returns information about the Signalbox that this agent runs in: product, version, port and, on request, its uptime.',
        input: z.object({ include_uptime: z.boolean().default(false).describe('Also return the uptime in seconds.') }),
        output: serverInformation,
        effect: 'read',
        idempotent: true,
        run: ({ include_uptime }) => serverInfo(dependencies, include_uptime),
      }),
      defineTool({
        name: 'read_result',
        description:
          'Reads a part of a tool result that was too large to return whole, by the signalbox:// URI in the shortened result.',
        input: resultRange,
        effect: 'read',
        idempotent: true,
        run: async (args, { principal }) => pageContent(await readResult(dependencies, args, principal)),
      }),
      ...disclosureTools(dependencies),
    ],
  });
}

/** Confirms that tool calls reach Signalbox. */
export function ping({ server, now }: Pick<BuiltinDependencies, 'server' | 'now'>): z.infer<typeof pong> {
  return { status: 'pong', timestamp: now().toISOString(), server };
}

/** Returns product, version and port, and optionally the uptime. */
export function serverInfo(
  { version, port, uptimeSeconds }: Pick<BuiltinDependencies, 'version' | 'port' | 'uptimeSeconds'>,
  includeUptime: boolean,
): z.infer<typeof serverInformation> {
  const info = { product: 'Signalbox', port: port ?? null, version };
  return includeUptime ? { ...info, uptime_seconds: Math.round(uptimeSeconds()) } : info;
}

type OwnResultPage = Omit<ResultPage, 'owner'> & { readonly uri: string };

/** Reads a page of a result that was too large to return whole. Only the principal that made the call may read it. */
export async function readResult(
  { readResult: read, longestPage }: Pick<BuiltinDependencies, 'readResult' | 'longestPage'>,
  { uri, offset, limit }: z.infer<typeof resultRange>,
  principal: Principal,
): Promise<OwnResultPage> {
  const page = await read(callOfResult(uri), offset, Math.min(limit, longestPage));
  // The same message for both cases, so that the existence of an unreadable result is not revealed.
  if (page === undefined || page.owner !== principal.id)
    throw new SignalboxError('result-unknown', `there is no result ${uri} that you can read`);
  const { owner: _, ...rest } = page;
  return { uri, ...rest };
}

/** Returns a page as plain text: JSON would escape it, and clients that show structured content as well would show it twice. */
function pageContent({ text: page, offset, total, next }: OwnResultPage): ContentBlock[] {
  const place = `characters ${offset} to ${offset + page.length} of ${total}`;
  return [
    text(page),
    text(next === undefined ? `[${place}; this is the end.]` : `[${place}; read on at offset ${next}.]`),
  ];
}
