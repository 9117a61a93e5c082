import type { CallResult } from '../../core/calls/call.ts';
import { type ContentBlock, readableBlocks } from '../../core/tools/content.ts';
import { allText, mediaOf, textOf } from '../result-content.ts';
import { type SurfaceCallOptions, type ToolBox } from '../tool-box.ts';
import { optionsFor, toSnakeCase } from './provider-format.ts';
import { anthropicFormat } from './formats.ts';
import {
  type ProviderTool,
  type ProviderTools,
  type ToolWarning,
  callProviderTool,
  formatTools,
} from './provider-tools.ts';

/** A tool of the Messages API. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: 'object'; [keyword: string]: unknown };
  strict?: boolean;
}

/** A content block of a response. Only `tool_use` blocks are used. */
export interface AnthropicBlock {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
}

/** The result of a tool call in the Messages API. */
export interface AnthropicToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: AnthropicResultBlock[];
  is_error?: boolean;
}

/** A content block of a tool result. */
export type AnthropicResultBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: AnthropicImageType; data: string } }
  | { type: 'document'; source: { type: 'base64'; media_type: 'application/pdf'; data: string } };

/** The image types that Anthropic's models accept. */
export type AnthropicImageType = (typeof imageTypes)[number];

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

/** Options of `anthropicTools`. */
export interface AnthropicOptions {
  /** Uses strict mode for tools whose schema allows it. A tool's own `providerOptions.anthropic.strict` takes precedence. */
  readonly strict?: boolean;
}

/** The tools of a box for the Messages API, and the function that runs their calls. */
export interface AnthropicTools {
  tools: AnthropicTool[];
  readonly warnings: readonly ToolWarning[];
  /** Runs the calls of a response in parallel, of exactly these tools. Resolves with the results in the same order. */
  call(content: readonly AnthropicBlock[], options?: SurfaceCallOptions): Promise<AnthropicToolResult[]>;
}

/**
 * Returns the tools of a box for Anthropic's Messages API.
 *
 * @example
 * const { tools, call } = anthropicTools(box);
 * const answer = await client.messages.create({ model, max_tokens, messages, tools });
 * messages.push({ role: 'assistant', content: answer.content }, { role: 'user', content: await call(answer.content) });
 */
export function anthropicTools(box: ToolBox, { strict = false }: AnthropicOptions = {}): AnthropicTools {
  const { listing, written } = formatTools(box, `anthropic strict=${strict}`, anthropicFormat(strict), toolOf);
  return {
    tools: [...written],
    warnings: listing.warnings,
    call: (content, options) =>
      Promise.all(content.filter(isToolUse).map((block) => resultOf(box, listing, block, options))),
  };
}

function toolOf({ name, definition, schema, strict }: ProviderTool): AnthropicTool {
  const { strict: _, ...own } = optionsFor(definition, 'anthropic');
  return {
    ...toSnakeCase(own),
    name,
    description: definition.description,
    input_schema: { ...schema, type: 'object' },
    ...(strict === true ? { strict } : {}),
  };
}

type ToolUse = AnthropicBlock & { readonly id: string; readonly name: string };

function isToolUse(block: AnthropicBlock): block is ToolUse {
  return block.type === 'tool_use' && block.id !== undefined && block.name !== undefined;
}

async function resultOf(
  box: ToolBox,
  listing: ProviderTools,
  { id, name, input }: ToolUse,
  options: SurfaceCallOptions | undefined,
): Promise<AnthropicToolResult> {
  const result = await callProviderTool(box, listing, { id, name, input }, options);
  return { type: 'tool_result', tool_use_id: id, ...contentOf(result) };
}

/** An error has only text, because the API refuses other content with `is_error`. */
function contentOf(result: CallResult): Pick<AnthropicToolResult, 'content' | 'is_error'> {
  return result.outcome === 'completed'
    ? { content: readableBlocks(result).map(blockOf) }
    : { content: [{ type: 'text', text: allText(result) }], is_error: true };
}

function blockOf(block: ContentBlock): AnthropicResultBlock {
  const media = mediaOf(block);
  const image = imageTypes.find((type) => type === media?.mimeType);
  if (media !== undefined && image !== undefined)
    return { type: 'image', source: { type: 'base64', media_type: image, data: media.data } };
  if (media?.mimeType === 'application/pdf')
    return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: media.data } };
  return { type: 'text', text: textOf(block) };
}
