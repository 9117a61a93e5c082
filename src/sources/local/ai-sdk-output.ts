import { type ContentBlock, type ToolResult, text } from '../../core/tools/content.ts';
import { isJsonObject } from '../../core/json/json.ts';

/** Converts a model output of the AI SDK to a result. Nothing else of the tool's output leaves the tool. */
export function resultOfModelOutput(output: unknown): unknown {
  const { type, value, reason } = (typeof output === 'object' && output !== null ? output : {}) as ModelOutput;
  switch (type) {
    case 'text':
    case 'json':
      return value;
    case 'error-text':
    case 'error-json':
      return failure(typeof value === 'string' ? value : JSON.stringify(value));
    case 'execution-denied':
      return failure(typeof reason === 'string' ? reason : 'the tool refused to run');
    case 'content':
      if (Array.isArray(value)) return { content: value.map(blockOf) } satisfies ToolResult;
  }
  throw new TypeError(`toModelOutput returned ${JSON.stringify(type)}, which is not an output of the AI SDK`);
}

interface ModelOutput {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly reason?: unknown;
}

function failure(message: string): ToolResult {
  return { isError: true, content: [text(message)] };
}

/** Converts a part of a `content` output to a block. Parts that only one provider can resolve become a text that describes them. */
function blockOf(part: unknown): ContentBlock {
  const { type, text: said, data, mediaType } = (isJsonObject(part) ? part : {}) as Record<string, unknown>;
  if (type === 'text' && typeof said === 'string') return text(said);
  const tagged = typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : { data };
  if (typeof tagged['text'] === 'string') return text(tagged['text']);
  const base64 = base64Of(tagged['data']);
  const mimeType = typeof mediaType === 'string' ? mediaType : 'application/octet-stream';
  if (base64 === undefined) return text(`[${String(type)} ${mimeType}]`);
  const kind = /^(image|audio)(?:\/|$)/.exec(mimeType)?.[1] as 'image' | 'audio' | undefined;
  if (kind !== undefined) return { type: kind, data: base64, mimeType };
  return { type: 'resource', resource: { uri: 'file:///result', mimeType, blob: base64 } };
}

function base64Of(data: unknown): string | undefined {
  if (typeof data === 'string') return data;
  if (data instanceof ArrayBuffer) return Buffer.from(data).toString('base64');
  return data instanceof Uint8Array ? Buffer.from(data).toString('base64') : undefined;
}
