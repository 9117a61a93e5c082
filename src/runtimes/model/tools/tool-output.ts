import type { ToolResultPart } from 'ai';
import type { CallResult } from '../../../core/calls/call.ts';
import { type ContentBlock, readableBlocks, renderContent } from '../../../core/tools/content.ts';

type Output = ToolResultPart['output'];
type OutputPart = Extract<Output, { type: 'content' }>['value'][number];

/** Converts the result of a call for the model. Any outcome but `completed` is an error text. */
export function toToolOutput(result: Pick<CallResult, 'outcome' | 'content' | 'error'>, images: boolean): Output {
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
  return content.map(readable).join('\n');
}

function readable(block: ContentBlock): string {
  const named = renderContent([block], Infinity);
  if (block.type !== 'resource' || typeof block.resource['text'] !== 'string') return named;
  return `${named}\n${block.resource['text']}`;
}
