import type { CallResult } from '../../core/calls/call.ts';
import { type ContentBlock, readableBlocks } from '../../core/tools/content.ts';
import { allText, mediaOf, textOf } from '../result-content.ts';
import type { SurfaceCallOptions, ToolBox } from '../tool-box.ts';
import { openaiFormat } from './formats.ts';
import { openaiToolOptions } from './provider-format.ts';
import { type ProviderTool, type ToolWarning, callProviderTool, formatTools } from './provider-tools.ts';

/** How tools are written for OpenAI. */
export interface OpenaiOptions<Api extends 'chat' | 'responses' = 'chat' | 'responses'> {
  /** Chat Completions, or the Responses API. */
  readonly api: Api;
  /** Holds the model to the schema, for tools that can be written so; a tool's own `providerOptions.openai.strict` (or `.function.strict`) comes first. */
  readonly strict?: boolean;
}

/**
 * The tools of a box for OpenAI, or for whoever speaks like it, and the way back.
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

/** A tool as Chat Completions takes it. */
export interface OpenaiChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown>; strict?: boolean };
}

/** A call in a chat completion. Only those of functions are looked at. */
export interface OpenaiToolCall {
  readonly id: string;
  readonly type?: string;
  readonly function?: { readonly name: string; readonly arguments: string };
}

/** The message that answers such a call. */
export interface OpenaiToolMessage {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

/** The tools of a box for Chat Completions, and the way back. */
export interface OpenaiChatTools {
  tools: OpenaiChatTool[];
  readonly warnings: readonly ToolWarning[];
  /** Makes the calls of an answer (`message.tool_calls`), all at once, of exactly the tools listed here. */
  call(calls: readonly OpenaiToolCall[] | null | undefined, options?: SurfaceCallOptions): Promise<OpenaiToolMessage[]>;
}

export function chatTools(box: ToolBox, strict: boolean): OpenaiChatTools {
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

/** OpenAI has no mark for a result that is an error: it is an object that says so. */
export function openaiText(result: CallResult): string {
  const content = allText(result);
  return result.outcome === 'completed' ? content : JSON.stringify({ outcome: result.outcome, error: content });
}

/** A tool as the Responses API takes it. */
export interface OpenaiFunctionTool {
  type: 'function';
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: boolean;
}

/** An item of a response's output. Only those of type `function_call` are looked at. */
export interface OpenaiItem {
  readonly type: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
}

/** The item that answers a `function_call`. */
export interface OpenaiFunctionCallOutput {
  type: 'function_call_output';
  call_id: string;
  output: string | OpenaiOutputPart[];
}

/** One part of such an answer. */
export type OpenaiOutputPart =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; image_url: string; detail: 'auto' }
  | { type: 'input_file'; filename: string; file_data: string };

/** The tools of a box for the Responses API, and the way back. */
export interface OpenaiResponsesTools {
  tools: OpenaiFunctionTool[];
  readonly warnings: readonly ToolWarning[];
  /** Makes the calls of a response (`response.output`), all at once, of exactly the tools listed here. */
  call(output: readonly OpenaiItem[], options?: SurfaceCallOptions): Promise<OpenaiFunctionCallOutput[]>;
}

export function responsesTools(box: ToolBox, strict: boolean): OpenaiResponsesTools {
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

/** Without a word about it, the Responses API would try to be strict, and refuse what cannot be. */
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
