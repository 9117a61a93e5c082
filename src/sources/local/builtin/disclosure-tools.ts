import * as z from 'zod';
import { argumentNames, firstSentence, toolIndex } from '../../../catalog/search/tool-index.ts';
import type { Forward } from '../../../catalog/source/source.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import { findNamed } from '../../../core/tools/tool-names.ts';
import type { ToolDefinition } from '../../../core/tools/tool.ts';
import { type OwnTool, defineTool } from '../define-tool.ts';

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

/** Which tool is meant by a call of `call_tool`, and with what arguments; or what is wrong with it. */
export function calledTool(given: unknown): Forward | string {
  if (!isJsonObject(given)) return 'an object with "name" and "arguments" is needed';
  const { name, arguments: args = {}, ...rest } = given;
  if (typeof name !== 'string' || name === '') return '"name" must be the name of a tool, as search_tools tells it';
  if (!isJsonObject(args)) return `"arguments" must be the object that ${name.slice(0, 128)} takes`;
  const [extra] = Object.keys(rest);
  if (extra !== undefined) return `${JSON.stringify(extra.slice(0, 64))} must stand inside "arguments"`;
  return { name, arguments: args };
}

/** What a model needs to call a tool. */
export type DescribedTool = Pick<ToolDefinition, 'name' | 'description' | 'inputSchema' | 'effect'>;

/** Tells everything about one tool. */
export function describeTool(tools: readonly ToolDefinition[], { name }: { readonly name: string }): DescribedTool {
  const tool = findNamed(tools, name);
  if (tool === undefined) {
    const meant = closestMatch(
      name,
      tools.map((each) => each.name),
    );
    const hint = meant === undefined ? 'search_tools finds what there is' : `did you mean "${meant}"?`;
    throw new SignalboxError('tool-invalid', `there is no tool named ${JSON.stringify(name.slice(0, 128))}; ${hint}`);
  }
  const { description, inputSchema, effect } = tool;
  return { name: tool.name, description, inputSchema, effect };
}

/** A tool as a search tells of it: enough to choose by, and often enough to call it. */
export interface FoundTool {
  readonly name: string;
  readonly description: string;
  /** The names of its arguments; those it can do without end with `?`. */
  readonly arguments: string;
}

/** Finds the tools that fit a plain request, the best one first. */
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
