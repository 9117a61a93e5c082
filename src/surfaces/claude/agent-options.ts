import type { CanUseTool, McpSdkServerConfigWithInstance } from '@anthropic-ai/claude-agent-sdk';
import { type ContentBox, contentReader } from '../../pipeline/content-reader.ts';
import type { CallResult } from '../../core/calls/call.ts';
import { anthropicDialect } from '../providers/formats.ts';
import { type ListedTool, type Listing, callListed, listTools } from '../providers/provider-tools.ts';
import { type IncomingCall, type McpTool, toolServer } from '../mcp/tool-server.ts';
import { type ServerContent, serverContent, serversWithContent } from '../server-content.ts';
import { type SurfaceCallOptions, type ToolBox, oncePerCatalog } from '../tool-box.ts';

/** How tools are given to Claude, and what is told about their calls. */
export interface ClaudeAgentSettings extends Omit<SurfaceCallOptions, 'signal' | 'onProgress'> {
  /** Lets Claude search for tools by name instead of showing it all of them: for catalogs too large for its context. */
  readonly toolSearch?: boolean;
  /** Decides about everything that is not a tool of the box (Read, Write, Bash …). Without it, what asks is refused. */
  readonly canUseTool?: CanUseTool;
}

/** The part of the Claude Agent SDK's options that gives Claude the tools of a box. */
export interface ClaudeAgentOptions {
  readonly mcpServers: Record<string, McpSdkServerConfigWithInstance>;
  readonly canUseTool: CanUseTool;
}

/** The parts of a box that Claude uses: tools and, optionally, resources and prompts. A Signalbox has all of them. */
export interface ClaudeBox extends ToolBox, Partial<ContentBox> {}

/**
 * The tools, resources and prompts of a box for one query of the Claude Agent SDK, under the names they have in the box. A server can be connected once,
 * and a second query would silently have no tools: call this anew for every query. Each call is decided in the box, so Claude
 * asks nobody about these tools.
 *
 * @example
 * query({ prompt, options: { ...claudeAgentOptions(box), model } });
 */
export function claudeAgentOptions(
  box: ClaudeBox,
  { toolSearch = false, canUseTool, ...options }: ClaudeAgentSettings = {},
): ClaudeAgentOptions {
  const { listing, servers } = oncePerCatalog(box, `claude toolSearch=${toolSearch}`, (definitions) => {
    const made = listTools(definitions, anthropicDialect());
    return { listing: made, servers: byServer(made, !toolSearch) };
  });
  const reader = hasContent(box) ? contentReader(box, options) : undefined;
  const names = new Set([...servers.keys(), ...(reader === undefined ? [] : serversWithContent(reader))]);
  const configs = [...names].map((server) => {
    const content = reader === undefined ? noContent : serverContent(server, reader);
    return [server, serverConfig(box, listing, { server, tools: servers.get(server) ?? [], content }, options)];
  });
  return {
    mcpServers: Object.fromEntries(configs) as Record<string, McpSdkServerConfigWithInstance>,
    async canUseTool(name, input, request) {
      const { mcpServer } = request;
      // Anybody can name a server; only this process can bring one along.
      if (mcpServer?.source === 'sdk' && names.has(mcpServer.name)) return { behavior: 'allow', updatedInput: input };
      if (canUseTool !== undefined) return canUseTool(name, input, request);
      return { behavior: 'deny', message: `nobody can be asked whether ${name} may run` };
    },
  };
}

const noContent: ServerContent = { capabilities: {}, methods: new Map() };

function hasContent(box: ClaudeBox): box is ToolBox & ContentBox {
  return box.resources !== undefined && box.prompts !== undefined;
}

function byServer(listing: Listing, alwaysLoad: boolean): ReadonlyMap<string, readonly McpTool[]> {
  const servers = new Map<string, McpTool[]>();
  for (const tool of listing.tools) {
    const { server } = tool.definition.id;
    const tools = servers.get(server) ?? [];
    servers.set(server, tools);
    tools.push(written(tool, server, alwaysLoad));
  }
  return servers;
}

function written({ name, definition, schema }: ListedTool, server: string, alwaysLoad: boolean): McpTool {
  return {
    name: name.slice(prefixOf(server).length),
    ...(definition.title === undefined ? {} : { title: definition.title }),
    description: definition.description,
    inputSchema: { ...schema, type: 'object' },
    // Claude runs calls side by side only where it is told that they change nothing.
    annotations: { ...definition.annotations, readOnlyHint: definition.effect === 'read' },
    ...(alwaysLoad ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
  };
}

function prefixOf(server: string): string {
  return `mcp__${server}__`;
}

function serverConfig(
  box: ToolBox,
  listing: Listing,
  { server, tools, content }: { server: string; tools: readonly McpTool[]; content: ServerContent },
  options: SurfaceCallOptions,
): McpSdkServerConfigWithInstance {
  const run = ({ tool, args, meta, signal, onProgress }: IncomingCall): Promise<CallResult> => {
    const id = meta['claudecode/toolUseId'];
    const call = { id: typeof id === 'string' ? id : undefined, name: prefixOf(server) + tool, input: args };
    return callListed(box, listing, call, { ...options, signal, ...(onProgress === undefined ? {} : { onProgress }) });
  };
  const instance = toolServer(server, tools, run, content);
  // The SDK's types name the server class of an older MCP SDK; it only connects what it is given.
  return { type: 'sdk', name: server, instance: instance as unknown as McpSdkServerConfigWithInstance['instance'] };
}
