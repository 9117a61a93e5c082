import { SignalboxError } from '../../../core/errors.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import type { ToolDefinition } from '../../../core/tools/tool.ts';
import { findNamed } from '../../../core/tools/tool-names.ts';

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
