import type { CallOutcome } from '../core/calls/call-outcome.ts';
import { type ContentBlock, readableBlocks, unknownBlock } from '../core/tools/content.ts';

/** Binary content that a model may accept. */
export interface Media {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
}

/** Returns the binary content of a block, if it has any. */
export function mediaOf(block: ContentBlock): Media | undefined {
  if (block.type === 'image' || block.type === 'audio') return block;
  if (block.type !== 'resource') return undefined;
  const { blob, mimeType } = block.resource;
  if (typeof blob !== 'string') return undefined;
  return { data: blob, mimeType: typeof mimeType === 'string' ? mimeType : 'application/octet-stream' };
}

/** Returns a block as text for a model. Binary content becomes a short description. */
export function textOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${kilobytes(block.data)}: cannot be shown here]`;
    case 'resource': {
      const { uri, text: content } = block.resource;
      if (typeof content === 'string') return typeof uri === 'string' ? `[resource ${uri}]\n${content}` : content;
      const media = mediaOf(block);
      const size = media === undefined ? '' : ` ${media.mimeType}, ${kilobytes(media.data)}: cannot be shown here`;
      return `[resource ${typeof uri === 'string' ? uri : 'without an address'}${size}]`;
    }
    case 'resource_link':
      return `[resource ${block.uri}: ${block.description ?? block.name}]`;
    default:
      return unknownBlock(block);
  }
}

/** Returns a whole outcome as text for a model. */
export function allText(outcome: CallOutcome): string {
  return readableBlocks(outcome).map(textOf).join('\n');
}

function kilobytes(base64: string): string {
  return `${Math.max(1, Math.round((base64.length * 0.75) / 1024))} KB`;
}
