import * as z from 'zod';
import type { ContentReader } from '../../../pipeline/box-content.ts';
import type { CallResult } from '../../../core/calls/call.ts';
import { messageOf } from '../../../core/errors.ts';
import type { JsonObject } from '../../../core/json/json.ts';
import { promptText, resourceText } from '../../../surfaces/server-content.ts';
import type { Turn } from '../../runtime.ts';
import type { ModelTool } from '../step.ts';

const nothing = z.object({});
const resourceInput = z.object({
  server: z.string().min(1),
  uri: z.string().min(1).describe('A URI from list_resources, or one that matches a template in that list.'),
});
const promptInput = z.object({
  server: z.string().min(1),
  name: z.string().min(1),
  arguments: z.record(z.string(), z.string()).optional(),
});

/** A tool that lets a model read resources or prompts of servers. */
interface ContentTool {
  readonly offered: ModelTool;
  /** It reads from a server, which is a separate call: rate rules count only that one. */
  readonly reads?: true;
  /** Returns whether any server has content for it. */
  isUseful(content: ContentReader): boolean;
  run(content: ContentReader, input: unknown, signal: AbortSignal): Promise<string> | string;
}

const tools: readonly ContentTool[] = [
  {
    offered: offer('list_resources', 'Lists the resources of the connected servers that can be read.', nothing),
    isUseful: hasResources,
    run: (content) =>
      JSON.stringify({ resources: content.resources(), resourceTemplates: content.resourceTemplates() }),
  },
  {
    offered: offer('read_resource', 'Reads a resource of a connected server.', resourceInput),
    isUseful: hasResources,
    reads: true,
    async run(content, input, signal) {
      const { server, uri } = resourceInput.parse(input);
      return resourceText(await content.readResource(server, uri, signal));
    },
  },
  {
    offered: offer('list_prompts', 'Lists the prompts of the connected servers.', nothing),
    isUseful: hasPrompts,
    run: (content) => JSON.stringify({ prompts: content.prompts() }),
  },
  {
    offered: offer(
      'get_prompt',
      'Returns a prompt of a connected server, filled in with these arguments.',
      promptInput,
    ),
    isUseful: hasPrompts,
    reads: true,
    async run(content, input, signal) {
      const { server, name, arguments: args = {} } = promptInput.parse(input);
      return promptText(await content.getPrompt(server, name, args, signal));
    },
  },
];

/** Returns the tools that read resources and prompts; only those for which a server has content. */
export function contentTools(content: ContentReader): readonly ModelTool[] {
  return tools.filter((tool) => tool.isUseful(content)).map(({ offered }) => offered);
}

/** Returns whether a name is that of a content tool. */
export function isContentTool(name: string): boolean {
  return tools.some(({ offered }) => offered.name === name);
}

/** Runs a call of a content tool. Policy, the journal and result limits apply as to any other call. */
export async function callContentTool(
  turn: Pick<Turn, 'tools' | 'serverContent'>,
  name: string,
  args: unknown,
  { toolCallId, signal }: { readonly toolCallId: string; readonly signal: AbortSignal },
): Promise<Pick<CallResult, 'outcome' | 'content'>> {
  const tool = tools.find(({ offered }) => offered.name === name);
  if (tool === undefined) throw new TypeError(`${name} does not read resources or prompts`);
  const given = (typeof args === 'object' && args !== null ? args : {}) as JsonObject;
  const own = { name, effect: 'read', uncounted: tool.reads === true } as const;
  const call = await turn.tools.begin(own, given, { toolCallId, signal });
  if (!call.allowed) return { outcome: 'denied', content: [{ type: 'text', text: call.reason }] };
  try {
    return await call.end({ outcome: 'completed', output: await tool.run(turn.serverContent, call.arguments, signal) });
  } catch (error) {
    const output = error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error);
    return await call.end({ outcome: signal.aborted ? 'cancelled' : 'failed', output });
  }
}

function offer(name: string, description: string, input: z.ZodType): ModelTool {
  return { name, description, inputSchema: z.toJSONSchema(input, { io: 'input' }) };
}

function hasResources(content: ContentReader): boolean {
  return content.resources().length > 0 || content.resourceTemplates().length > 0;
}

function hasPrompts(content: ContentReader): boolean {
  return content.prompts().length > 0;
}
