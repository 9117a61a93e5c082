import type { ToolDefinition } from '../../core/tools/tool.ts';
import { anthropicFormat } from '../providers/formats.ts';
import { type ProviderTool, type ProviderTools, toProviderTools } from '../providers/provider-tools.ts';

/** The tools of a box in the form that Claude Code takes: one MCP server for each server of the box. */
export interface ClaudeToolListing extends ProviderTools {
  /** The tools of each server as `tools/list` returns them. */
  readonly servers: ReadonlyMap<string, readonly object[]>;
}

const cache = {
  alwaysLoad: new WeakMap<object, ClaudeToolListing>(),
  toolSearch: new WeakMap<object, ClaudeToolListing>(),
};

/** Lists tools, once for each version of the catalog. With `toolSearch`, the model sees only the tools that it searches for. */
export function claudeToolListing(definitions: readonly ToolDefinition[], toolSearch: boolean): ClaudeToolListing {
  const cached = toolSearch ? cache.toolSearch : cache.alwaysLoad;
  const known = cached.get(definitions);
  if (known !== undefined) return known;
  const tools = toProviderTools(definitions, anthropicFormat());
  const servers = new Map<string, object[]>();
  for (const tool of tools.tools) {
    const { server } = tool.definition.id;
    const listed = servers.get(server) ?? [];
    servers.set(server, listed);
    listed.push(toMcpTool(tool, server, toolSearch));
  }
  const listing = { ...tools, servers };
  cached.set(definitions, listing);
  return listing;
}

/** Returns the prefix that Claude Code puts before the names of a server's tools. */
export function toolPrefix(server: string): string {
  return `mcp__${server}__`;
}

function toMcpTool({ name, definition, schema }: ProviderTool, server: string, toolSearch: boolean): object {
  const { title, description, annotations, effect } = definition;
  return {
    name: name.slice(toolPrefix(server).length),
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: schema,
    // Claude Code runs calls in parallel only if the tool is read-only. The configured effect overrides the server's hint.
    annotations: { ...annotations, readOnlyHint: effect === 'read' },
    ...(toolSearch ? {} : { _meta: { 'anthropic/alwaysLoad': true } }),
  };
}
