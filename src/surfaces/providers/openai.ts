import type { CallResult } from '../../core/calls/call.ts';
import { type ContentBlock, readableBlocks } from '../../core/tools/content.ts';
import { allText, mediaOf, textOf } from '../result-content.ts';
import type { SurfaceCallOptions, ToolBox } from '../tool-box.ts';
import { openaiFormat } from './formats.ts';
import { openaiToolOptions } from './provider-format.ts';
import { type ProviderTool, type ToolWarning, callProviderTool, formatTools } from './provider-tools.ts';

/** Options of `openaiTools`. */
export interface OpenaiOptions<Api extends 'chat' | 'responses' = 'chat' | 'responses'> {
  /** Chat Completions, or the Responses API. */
  readonly api: Api;
  /** Uses strict mode for tools whose schema allows it. A tool's own `providerOptions.openai.strict` (or `.function.strict`) takes precedence. */
  readonly strict?: boolean;
}

/**
 * Returns the tools of a box for OpenAI and compatible APIs, and the function that runs their calls.
 *
 * @example
 * const { tools, call } = openaiTools(box, { api: 'chat' });
 * const { message } = (await client.chat.completions.create({ model, messages, tools })).choices[0];
 * messages.push(message, ...(await call(message.tool_calls)));
 */
export function openaiTools(box: ToolBox, options: OpenaiOptions<'chat'>): OpenaiChatTools;
export function openaiTools(box: ToolBox, options: OpenaiOptions<'responses'>): OpenaiResponsesTools;
export function openaiTools(
  box: ToolBox,
  { api, strict = false }: OpenaiOptions,
): OpenaiChatTools | OpenaiResponsesTools {
  return api === 'chat' ? chatTools(box, strict) : responsesTools(box, strict);
}

/** A tool of the Chat Completions API. */
export interface OpenaiChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown>; strict?: boolean };
}

/** A tool call in a chat completion. Only function calls are used. */
export interface OpenaiToolCall {
  readonly id: string;
  readonly type?: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/** The result of a tool call in the Chat Completions API. */
export interface OpenaiToolMessage {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

/** The tools of a box for the Chat Completions API, and the function that runs their calls. */
export interface OpenaiChatTools {
  tools: OpenaiChatTool[];
  readonly warnings: readonly ToolWarning[];
  /** Runs the calls of a response (`message.tool_calls`) in parallel, of exactly these tools. */
  call(calls: readonly OpenaiToolCall[] | null | undefined, options?: SurfaceCallOptions): Promise<OpenaiToolMessage[]>;
}

function chatTools(box: ToolBox, strict: boolean): OpenaiChatTools {
  const { listing, written } = formatTools(box, `openai-chat strict=${strict}`, openaiFormat(strict), toChatTool);
  return {
    tools: [...written],
    warnings: listing.warnings,
    call: (calls, options) =>
      Promise.all(
        (calls ?? []).filter(isFunction).map(async ({ id, function: { name, arguments: input } }) => {
          const result = await callProviderTool(box, listing, { id, name, input }, options);
          return { role: 'tool', tool_call_id: id, content: openaiText(result) };
        }),
      ),
  };
}

function toChatTool({ name, definition, schema, strict }: ProviderTool): OpenaiChatTool {
  const own = openaiToolOptions(definition);
  return {
    ...own.tool,
    type: 'function',
    function: {
      ...own.function,
      name,
      description: definition.description,
      parameters: schema,
      ...(strict === true ? { strict } : {}),
    },
  };
}

function isFunction(call: OpenaiToolCall): call is OpenaiToolCall & { function: object } {
  return call.function !== undefined;
}

/** Returns the text of a result. OpenAI has no error flag, so an error is a JSON object with its outcome. */
function openaiText(result: CallResult): string {
  const content = allText(result);
  return result.outcome === 'completed' ? content : JSON.stringify({ outcome: result.outcome, error: content });
}

/** A tool of the Responses API. */
export interface OpenaiFunctionTool {
  type: 'function';
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: boolean;
}

/** An item of a response's output. Only `function_call` items are used. */
export interface OpenaiItem {
  readonly type: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
}

/** The result of a `function_call`. */
export interface OpenaiFunctionCallOutput {
  type: 'function_call_output';
  call_id: string;
  output: string | OpenaiOutputPart[];
}

/** A content part of a result. */
export type OpenaiOutputPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string };

/** The tools of a box for the Responses API, and the function that runs their calls. */
export interface OpenaiResponsesTools {
  tools: OpenaiFunctionTool[];
  readonly warnings: readonly ToolWarning[];
  /** Runs the calls of a response (`response.output`) in parallel, of exactly these tools. */
  call(output: readonly OpenaiItem[], options?: SurfaceCallOptions): Promise<OpenaiFunctionCallOutput[]>;
}

function responsesTools(box: ToolBox, strict: boolean): OpenaiResponsesTools {
  const { listing, written } = formatTools(
    box,
    `openai-responses strict=${strict}`,
    openaiFormat(strict),
    toResponsesTool,
  );
  return {
    tools: [...written],
    warnings: listing.warnings,
    call: (output, options) =>
      Promise.all(
        output.filter(isFunctionCall).map(async ({ call_id, name, arguments: input }) => {
          const result = await callProviderTool(box, listing, { id: call_id, name, input }, options);
          return { type: 'function_call_output', call_id, output: outputOf(result) };
        }),
      ),
  };
}

/** Always sets `strict`, because the Responses API is strict by default and refuses schemas that cannot be strict. */
function toResponsesTool({ name, definition, schema, strict }: ProviderTool): OpenaiFunctionTool {
  const own = openaiToolOptions(definition);
  return {
    ...own.tool,
    ...own.function,
    type: 'function',
    name,
    description: definition.description,
    parameters: schema,
    strict: strict === true,
  };
}

function isFunctionCall(item: OpenaiItem): item is OpenaiItem & { call_id: string; name: string } {
  return item.type === 'function_call' && item.call_id !== undefined && item.name !== undefined;
}

function outputOf(result: CallResult): string | OpenaiOutputPart[] {
  const blocks = readableBlocks(result);
  if (result.outcome !== 'completed' || blocks.every((block) => mediaOf(block) === undefined))
    return openaiText(result);
  return blocks.map(partOf);
}

const images = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

function partOf(block: ContentBlock): OpenaiOutputPart {
  const media = mediaOf(block);
  if (media !== undefined) {
    const url = `data:${media.mimeType};base64,${media.data}`;
    if (images.has(media.mimeType)) return { type: 'input_image', image_url: url, detail: 'auto' };
    if (media.mimeType === 'application/pdf') return { type: 'input_file', filename: 'result.pdf', file_data: url };
  }
  return { type: 'input_text', text: textOf(block) };
}
