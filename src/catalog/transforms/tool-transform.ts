import type { SourceTool } from '../source.ts';

/**
 * Changes one tool on its way into the catalog: gives back the tool to offer, `null` to drop it, or the reason to hide it.
 * Never changes the tool it was given. Whatever the name becomes, a call still reaches the same tool.
 *
 * @example
 * const quiet: ToolTransform = (tool) => (tool.tool.startsWith('debug_') ? null : { ...tool, labels: ['quiet'] });
 */
export type ToolTransform = (tool: SourceTool) => SourceTool | { readonly hidden: string } | null;
