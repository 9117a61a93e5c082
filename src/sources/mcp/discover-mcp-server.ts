import type { JsonValue } from '../../core/json/json.ts';
import { Connection, type ServerFacts } from './connection/connection.ts';
import { type McpServerOptions, connectionOptions } from './mcp-server-options.ts';
import { RecentLines } from '../../process/recent-lines.ts';

/** What a server offers, as it lists it. */
export interface Discovery extends ServerFacts {
  readonly tools: readonly JsonValue[];
  readonly resources: readonly JsonValue[];
  readonly prompts: readonly JsonValue[];
}

/** Looks at what a server offers without mounting it: connects, lists, and leaves. Rejects when it cannot be reached. */
export async function discoverMcpServer(options: McpServerOptions): Promise<Discovery> {
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
