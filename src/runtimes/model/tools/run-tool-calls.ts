import type { ToolModelMessage, ToolResultPart } from 'ai';
import type { CallResult } from '../../../core/calls/call.ts';
import { type ContentBlock, readableBlocks, renderContent, text } from '../../../core/tools/content.ts';
import { messageOf } from '../../../core/errors.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { callWithModelArguments } from '../../../surfaces/tool-box.ts';
import type { Turn, TurnEvent } from '../../runtime.ts';
import { askUser, askUserName } from './ask-user.ts';
import { callContentTool, isContentTool } from './content-tools.ts';
import type { RequestedCall } from '../step.ts';

/** The context of the calls of a step. */
interface ToolCallContext {
  readonly turn: Pick<Turn, 'ask' | 'tools' | 'serverContent'>;
  readonly signal: AbortSignal;
  /** Whether the model accepts images in tool results. */
  readonly images: boolean;
  emit(event: TurnEvent): void;
}

/** Runs the calls of one step in parallel. Emits each result when it arrives; returns the message with all results in the order of the calls. */
export async function runToolCalls(
  calls: readonly RequestedCall[],
  request: ToolCallContext,
): Promise<ToolModelMessage> {
  const content = await Promise.all(
    calls.map(async (call) => {
      const { toolCallId, toolName } = call;
      const started = performance.now();
      const result = await make(call, request);
      const { outcome, content: blocks, callId, changes } = result;
      const durationMs = result.durationMs ?? Math.round(performance.now() - started);
      const known = omitUndefined({ callId, changes });
      request.emit({ type: 'tool_result', toolCallId, outcome, content: blocks, durationMs, ...known });
      return { type: 'tool-result' as const, toolCallId, toolName, output: toToolOutput(result, request.images) };
    }),
  );
  return { role: 'tool', content };
}

type Made = Pick<CallResult, 'outcome' | 'content' | 'changes'> & Partial<Pick<CallResult, 'callId' | 'durationMs'>>;

async function make({ toolCallId, toolName, input }: RequestedCall, request: ToolCallContext): Promise<Made> {
  const { turn, signal, emit } = request;
  try {
    if (toolName === askUserName) return await askUser(turn, toolCallId, input, signal);
    if (isContentTool(toolName)) return await callContentTool(turn, toolName, input, { toolCallId, signal });
    return await callWithModelArguments(toolName, input, (args) =>
      turn.tools.call(toolName, args, {
        toolCallId,
        signal,
        onProgress: (progress) => emit({ type: 'tool_progress', toolCallId, progress }),
      }),
    );
  } catch (error) {
    // A call rejects only when the box is closed. The other calls of the step still end.
    return { outcome: 'failed', content: [text(messageOf(error))] };
  }
}

type Output = ToolResultPart['output'];
type OutputPart = Extract<Output, { type: 'content' }>['value'][number];

/** Converts the result of a call for the model. Any outcome but `completed` is an error text. */
function toToolOutput(result: Pick<CallResult, 'outcome' | 'content' | 'error'>, images: boolean): Output {
  const { outcome } = result;
  const content = readableBlocks(result);
  if (outcome !== 'completed') return { type: 'error-text', value: rendered(content) };
  if (images && content.some(isImage)) return { type: 'content', value: content.map(outputPart) };
  return { type: 'text', value: rendered(content) };
}

function outputPart(block: ContentBlock): OutputPart {
  if (isImage(block)) return { type: 'file', mediaType: block.mimeType, data: { type: 'data', data: block.data } };
  return { type: 'text', text: rendered([block]) };
}

function isImage(block: ContentBlock): block is Extract<ContentBlock, { type: 'image' | 'audio' }> {
  return block.type === 'image';
}

/** Renders content in full; the pipeline has already limited its size. */
function rendered(content: readonly ContentBlock[]): string {
  return content
    .map((block) => {
      const label = renderContent([block], Infinity);
      const whole = block.type === 'resource' ? block.resource['text'] : undefined;
      return typeof whole === 'string' ? `${label}\n${whole}` : label;
    })
    .join('\n');
}
