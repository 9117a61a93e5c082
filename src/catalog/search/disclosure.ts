import type { ToolDefinition } from '../../core/tools/tool.ts';

/** The size of a listing above which tool search costs less than listing, as measured by `npm run bench -- disclosure`. */
export const breakEvenBytes = 30_000;

const sizes = new WeakMap<ToolDefinition, number>();

/** Returns whether listing these tools costs a model more tokens than searching for them, in a turn that uses three of them with 32 KB of other context. */
export function isCheaperFound(tools: readonly ToolDefinition[]): boolean {
  let size = 0;
  for (const tool of tools) if ((size += sizeOf(tool)) > breakEvenBytes) return true;
  return false;
}

function sizeOf(tool: ToolDefinition): number {
  let size = sizes.get(tool);
  if (size !== undefined) return size;
  const { name, description, inputSchema } = tool;
  sizes.set(tool, (size = Buffer.byteLength(JSON.stringify({ name, description, input_schema: inputSchema }))));
  return size;
}
