import { pathToFileURL } from 'node:url';
import type { ExternalEntry } from '../../config/configuration.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { ProtocolVersionCache } from '../../sources/mcp/connection/protocol-version-cache.ts';
import { type McpServer, mcpServer } from '../../sources/mcp/mcp-server.ts';
import { type ReferenceContext, resolveTransport } from './external-transport.ts';
import type { StartQueue } from './start-queue.ts';

/** The dependencies for starting a server, in addition to its entry. */
export interface ServerStartContext {
  readonly references: ReferenceContext;
  readonly protocolVersions: ProtocolVersionCache | undefined;
  /** Limits how many programs start at the same time. */
  readonly startQueue: StartQueue;
}

/** Creates the external server of an entry, with all of its tools. It starts after `after` settles. */
export function externalServer(entry: ExternalEntry, context: ServerStartContext, after?: Promise<unknown>): McpServer {
  const { references, protocolVersions, startQueue } = context;
  const { idleStopMs } = entry.settings;
  const directories = entry.settings.roots ?? entry.limits.workspace ?? [];
  const roots = directories.map((path) => ({ uri: pathToFileURL(path).href }));
  // Only the first start of a program queues: restarts are rare, and remote servers use no processor of this machine.
  let isQueued = entry.transport === 'stdio';
  const server = mcpServer({
    name: entry.name,
    transport: async () => {
      await after;
      if (isQueued) {
        isQueued = false;
        await startQueue.waitForSlot(server.ready());
      }
      return await resolveTransport(entry, references);
    },
    redact: (text) => references.redact(text),
    roots,
    ...omitUndefined({ protocolVersions, idleStopMs }),
  });
  return server;
}
