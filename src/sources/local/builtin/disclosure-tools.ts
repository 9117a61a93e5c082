import * as z from 'zod';
import { argumentNames, firstSentence, toolIndex } from '../../../catalog/search/tool-index.ts';
import type { ForwardedCall } from '../../../catalog/source/source.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import { findNamed } from '../../../core/tools/tool-names.ts';
import type { ToolDefinition } from '../../../core/tools/tool.ts';
import { type SignalboxTool, defineTool } from '../define-tool.ts';

/** Dependencies of the disclosure tools. */
export interface DisclosureDependencies {
  /** Returns the tools that are visible to this caller; the same array while they do not change. */
  tools(context: Pick<ToolContext, 'profile'>): readonly ToolDefinition[];
}

/** Creates the built-in tools that find and call other tools, where listing all of them would cost too many tokens. */
export function disclosureTools(dependencies: DisclosureDependencies): SignalboxTool[] {
  const callTool: SignalboxTool = {
    name: 'call_tool',
    description: 'Calls a tool that search_tools found.',
    input: z.object({
      name: z.string().describe('The name, as search_tools returns it.'),
      arguments: z.record(z.string(), z.unknown()).default({}).describe('The arguments of that tool.'),
    }),
    // A call of this tool is a call of the named tool, with its rules and its journal entry.
    effect: 'irreversible',
    unlisted: true,
    forward: parseForwardedCall,
    run: () => {
      throw new Error('call_tool is forwarded and never runs');
    },
  };
  const finders: SignalboxTool[] = [
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
        'Returns the description of a tool and the schema of its arguments. Needed only when the names are not clear enough.',
      input: z.object({ name: z.string().describe('The name, as search_tools returns it.') }),
      effect: 'read',
      idempotent: true,
      run: (args, context) => describeTool(dependencies.tools(context), args),
    }),
  ];
  return [...finders.map((tool) => ({ ...tool, unlisted: true })), callTool];
}

/** Parses the arguments of `call_tool`. Returns the call to forward, or the problem. */
export function parseForwardedCall(given: unknown): ForwardedCall | string {
  if (!isJsonObject(given)) return 'an object with "name" and "arguments" is needed';
  const { name, arguments: args = {}, ...rest } = given;
  if (typeof name !== 'string' || name === '') return '"name" must be the name of a tool, as search_tools returns it';
  if (!isJsonObject(args)) return `"arguments" must be the object that ${name.slice(0, 128)} takes`;
  const [extra] = Object.keys(rest);
  if (extra !== undefined) return `${JSON.stringify(extra.slice(0, 64))} must be inside "arguments"`;
  return { name, arguments: args };
}

/** The parts of a definition that a model needs to call the tool. */
export type DescribedTool = Pick<ToolDefinition, 'name' | 'description' | 'inputSchema' | 'effect'>;

/** Returns the definition of one tool. Throws `tool-invalid` when there is none of that name. */
export function describeTool(tools: readonly ToolDefinition[], { name }: { readonly name: string }): DescribedTool {
  const tool = findNamed(tools, name);
  if (tool === undefined) {
    const meant = closestMatch(
      name,
      tools.map((each) => each.name),
    );
    const hint = meant === undefined ? 'search_tools finds the available tools' : `did you mean "${meant}"?`;
    throw new SignalboxError('tool-invalid', `there is no tool named ${JSON.stringify(name.slice(0, 128))}; ${hint}`);
  }
  const { description, inputSchema, effect } = tool;
  return { name: tool.name, description, inputSchema, effect };
}

/** A tool in search results: enough to choose it, and often enough to call it. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
  /** The names of its arguments; optional ones end with `?`. */
  readonly arguments: string;
}

/** Finds the tools that match a query in plain words, best first. */
export function searchTools(
  tools: readonly ToolDefinition[],
  { query, limit }: { readonly query: string; readonly limit: number },
): { readonly tools: readonly FoundTool[] } {
  const found = toolIndex(tools).search(query, limit);
  return {
    tools: found.map(({ name, description, inputSchema }) => ({
      name,
      description: firstSentence(description),
      arguments: argumentNames(inputSchema).join(', '),
    })),
  };
}
