import * as z from 'zod';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import type { ToolDefinition } from '../../../core/tools/tool.ts';
import { type OwnTool, defineTool } from '../define-tool.ts';
import { calledTool } from './call-tool.ts';
import { describeTool } from './describe-tool.ts';
import { searchTools } from './search-tools.ts';

/** What the tools need by which others are found instead of listed. */
export interface DisclosureDependencies {
  /** The tools that this caller could list, in the same array for as long as they are the same. */
  tools(context: Pick<ToolContext, 'profile'>): readonly ToolDefinition[];
}

/** The built-in tools by which others are found and called where listing all of them would cost too much. */
export function disclosureTools(dependencies: DisclosureDependencies): OwnTool[] {
  const callTool: OwnTool = {
    name: 'call_tool',
    description: 'Calls a tool that search_tools found.',
    input: z.object({
      name: z.string().describe('The name, as search_tools tells it.'),
      arguments: z.record(z.string(), z.unknown()).default({}).describe('The arguments of that tool.'),
    }),
    // What is called decides: a call of this is a call of that, by its rules and on its record.
    effect: 'irreversible',
    unlisted: true,
    forward: calledTool,
    run: () => {
      throw new Error('call_tool is never run itself');
    },
  };
  const finders: OwnTool[] = [
    defineTool({
      name: 'search_tools',
      description:
        'Finds tools for what you want to do; the best ones come first. There are more tools than are listed.',
      input: z.object({
        query: z.string().describe('What you want to do, in plain words.'),
        limit: z.int().min(1).max(20).default(5),
      }),
      effect: 'read',
      idempotent: true,
      run: (args, context) => searchTools(dependencies.tools(context), args),
    }),
    defineTool({
      name: 'describe_tool',
      description:
        'Tells what a tool does and the schema of its arguments. Needed only when the names do not say enough.',
      input: z.object({ name: z.string().describe('The name, as search_tools tells it.') }),
      effect: 'read',
      idempotent: true,
      run: (args, context) => describeTool(dependencies.tools(context), args),
    }),
  ];
  return [...finders.map((tool) => ({ ...tool, unlisted: true })), callTool];
}
