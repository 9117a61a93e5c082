import type { CanUseTool, McpSdkServerConfigWithInstance } from '@anthropic-ai/claude-agent-sdk';
import { type ContentBox, contentReader } from '../../pipeline/box-content.ts';
import { callProviderTool } from '../providers/provider-tools.ts';
import type { SurfaceCallOptions, ToolBox } from '../tool-box.ts';
import { claudeToolListing } from './tool-listing.ts';
import { createToolServers } from './tool-server.ts';

/** Options of `claudeAgentOptions`, and of the calls that Claude makes. */
export interface ClaudeAgentSettings extends Omit<SurfaceCallOptions, 'signal' | 'onProgress'> {
  /** Lets Claude search for tools by name instead of showing it all of them: for catalogs too large for its context. */
  readonly toolSearch?: boolean;
  /** Decides about every tool outside the box (Read, Write, Bash …). Without it, a tool that needs permission is denied. */
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
 * Returns the tools, resources and prompts of a box for one query of the Claude Agent SDK, under the names they have in the box. Call
 * it for every query: Claude Code connects a server only once, and a second query would silently have no tools. The box decides each
 * call, so Claude Code does not ask for permission for these tools.
 *
 * @example
 * query({ prompt, options: { ...claudeAgentOptions(box), model } });
 */
export function claudeAgentOptions(
  box: ClaudeBox,
  { toolSearch = false, canUseTool, ...options }: ClaudeAgentSettings = {},
): ClaudeAgentOptions {
  const listing = claudeToolListing(box.tools(), toolSearch);
  const reader = hasContent(box) ? contentReader(box, options) : undefined;
  const servers = createToolServers(listing, reader, ({ name, args, toolUseId, ...call }) =>
    callProviderTool(box, listing, { id: toolUseId, name, input: args }, { ...options, ...call }),
  );
  return {
    mcpServers: Object.fromEntries([...servers].map(([name, server]) => [name, server.toSdkConfig()])),
    async canUseTool(name, input, request) {
      const { mcpServer } = request;
      // Any configuration can use a server's name, but only this process can add a server with the source `sdk`.
      if (mcpServer?.source === 'sdk' && servers.has(mcpServer.name)) return { behavior: 'allow', updatedInput: input };
      if (canUseTool !== undefined) return canUseTool(name, input, request);
      return { behavior: 'deny', message: `nobody can be asked whether ${name} may run` };
    },
  };
}

function hasContent(box: ClaudeBox): box is ToolBox & ContentBox {
  return box.resources !== undefined && box.prompts !== undefined;
}
