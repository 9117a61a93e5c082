import { pathToFileURL } from 'node:url';
import type { ExternalEntry } from '../../config/configuration.ts';
import { type McpServer, mcpServer } from '../../sources/mcp/mcp-server.ts';
import type { Verdicts } from '../../sources/mcp/verdicts.ts';
import { type ReferenceContext, externalTransport } from '../external-transport.ts';

/** What servers are started with, whatever their entries say. */
export interface Starting {
  readonly references: ReferenceContext;
  readonly checkSchemas: boolean;
  readonly verdicts: Verdicts | undefined;
}

/** The server outside that an entry names, as it is before lock and configuration change what it offers. Starts it after `after`. */
export function externalServer(entry: ExternalEntry, starting: Starting, after?: Promise<unknown>): McpServer {
  const { references, checkSchemas, verdicts } = starting;
  const { idleStopMs } = entry.settings;
  const directories = entry.settings.roots ?? entry.limits.workspace ?? [];
  const roots = directories.map((path) => ({ uri: pathToFileURL(path).href }));
  return mcpServer({
    name: entry.name,
    transport: async () => {
      await after;
      return await externalTransport(entry, references);
    },
    redact: (text) => references.redact(text),
    roots,
    checkSchemas,
    ...(verdicts === undefined ? {} : { verdicts }),
    ...(idleStopMs === undefined ? {} : { idleStopMs }),
  });
}
