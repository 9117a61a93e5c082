import { type CallToolResult, Server, type Tool } from '@modelcontextprotocol/server';
import { readableBlocks } from '../../core/tools/content.ts';
import type { CallResult, Progress } from '../../core/calls/call.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { ServerContent } from '../server-content.ts';

/** A tool as a client of MCP is told of it. */
export type McpTool = Tool;

/** What is known about a call that came in over MCP. */
export interface IncomingCall {
  readonly tool: string;
  readonly args: unknown;
  readonly meta: JsonObject;
  readonly signal: AbortSignal;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** Returns an MCP server with these tools, resources and prompts, for one connection. `call` runs its calls. */
export function toolServer(
  name: string,
  tools: readonly McpTool[],
  call: (call: IncomingCall) => Promise<CallResult>,
  served: ServerContent,
): Server {
  const server = new Server({ name, version: '1.0.0' }, { capabilities: { tools: {}, ...served.capabilities } });
  for (const [method, read] of served.methods)
    server.setRequestHandler(method as 'resources/list', async ({ params }, { mcpReq }) => {
      const result = await read((params ?? {}) as JsonObject, mcpReq.signal);
      return result as { resources: [] };
    });
  server.setRequestHandler('tools/list', () => ({ tools: [...tools] }));
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const meta = (mcpReq._meta ?? {}) as JsonObject;
    const progressToken = mcpReq._meta?.progressToken;
    const result = await call({
      tool: params.name,
      args: params.arguments ?? {},
      meta,
      signal: mcpReq.signal,
      onProgress:
        progressToken === undefined
          ? undefined
          : (progress) => {
              const told = { method: 'notifications/progress', params: { ...progress, progressToken } } as const;
              // Who is gone needs no progress.
              mcpReq.notify(told).catch(() => undefined);
            },
    });
    const content = readableBlocks(result) as CallToolResult['content'];
    return result.outcome === 'completed' ? { content } : { content, isError: true };
  });
  return server;
}
