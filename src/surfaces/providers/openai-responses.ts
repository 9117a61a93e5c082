import type { CallResult } from '../../core/calls/call.ts';
import { type ContentBlock, readableBlocks } from '../../core/tools/content.ts';
import { mediaOf, textOf } from '../result-content.ts';
import { type SurfaceCallOptions, type ToolBox } from '../tool-box.ts';
import { openaiToolOptions } from './provider-format.ts';
import { openaiDialect } from './formats.ts';
import { type ListedTool, type ToolWarning, callListed, writeTools } from './provider-tools.ts';
import { openaiText } from './openai-chat.ts';

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
  const { listing, written } = writeTools(box, `openai-responses strict=${strict}`, openaiDialect(strict), toolOf);
  return {
    tools: [...written],
    warnings: listing.warnings,
    call: (output, options) =>
      Promise.all(
        output.filter(isFunctionCall).map(async ({ call_id, name, arguments: input }) => {
          const result = await callListed(box, listing, { id: call_id, name, input }, options);
          return { type: 'function_call_output', call_id, output: outputOf(result) };
        }),
      ),
  };
}

/** Without a word about it, the Responses API would try to be strict, and refuse what cannot be. */
function toolOf({ name, definition, schema, strict }: ListedTool): OpenaiFunctionTool {
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
