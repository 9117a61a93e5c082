import { argumentNames, firstSentence, toolIndex } from '../../../catalog/search/tool-index.ts';
import type { ToolDefinition } from '../../../core/tools/tool.ts';

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
