import type { JsonValue } from '../../core/json/json.ts';
import { Connection } from './connection/connection.ts';
import type { McpServerInfo } from './connection/server-link.ts';
import { type McpServerOptions, connectionOptions } from './mcp-server-options.ts';
import { RecentLines } from '../../process/recent-lines.ts';

/** The lists of a server, as it sent them. */
export interface McpServerDiscovery extends McpServerInfo {
  readonly tools: readonly JsonValue[];
  readonly resources: readonly JsonValue[];
  readonly prompts: readonly JsonValue[];
}

/** Connects to a server, reads its lists and disconnects, without mounting it. Rejects when the server cannot be reached. */
export async function discoverMcpServer(options: McpServerOptions): Promise<McpServerDiscovery> {
  const given = await connectionOptions(options, {
    lines: new RecentLines(),
    logLevel: undefined,
    roots: () => options.roots ?? [],
    onListChanged: () => undefined,
    onResourceUpdated: () => undefined,
  });
  const connection = await Connection.open(given);
  try {
    const [tools, resources, prompts] = await Promise.all([
      connection.list('tools'),
      connection.list('resources').catch(() => []),
      connection.list('prompts').catch(() => []),
    ]);
    return { ...connection.facts, tools, resources, prompts };
  } finally {
    await connection.close();
  }
}
