import type { ToolBox } from '../tool-box.ts';
import { type OpenaiChatTools, chatTools } from './openai-chat.ts';
import { type OpenaiResponsesTools, responsesTools } from './openai-responses.ts';

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
