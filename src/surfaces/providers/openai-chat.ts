import type { CallResult } from '../../core/calls/call.ts';
import { allText } from '../result-content.ts';
import { type SurfaceCallOptions, type ToolBox } from '../tool-box.ts';
import { openaiToolOptions } from './provider-format.ts';
import { openaiDialect } from './formats.ts';
import { type ListedTool, type ToolWarning, callListed, writeTools } from './provider-tools.ts';

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
  const { listing, written } = writeTools(box, `openai-chat strict=${strict}`, openaiDialect(strict), toolOf);
  return {
    tools: [...written],
    warnings: listing.warnings,
    call: (calls, options) =>
      Promise.all(
        (calls ?? []).filter(isFunction).map(async ({ id, function: { name, arguments: input } }) => {
          const result = await callListed(box, listing, { id, name, input }, options);
          return { role: 'tool', tool_call_id: id, content: openaiText(result) };
        }),
      ),
  };
}

function toolOf({ name, definition, schema, strict }: ListedTool): OpenaiChatTool {
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
