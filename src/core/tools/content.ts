import type { JsonObject, JsonValue } from '../json/json.ts';

/** One block of a tool's result, in the shape MCP gives it. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string; readonly annotations?: JsonObject; readonly _meta?: JsonObject }
  | {
      readonly type: 'image' | 'audio';
      readonly data: string;
      readonly mimeType: string;
      readonly annotations?: JsonObject;
      readonly _meta?: JsonObject;
    }
  | {
      readonly type: 'resource';
      readonly resource: JsonObject;
      readonly annotations?: JsonObject;
      readonly _meta?: JsonObject;
    }
  | ResourceLink;

/** A link to a resource that can be read separately. */
export interface ResourceLink {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: JsonObject;
  readonly _meta?: JsonObject;
}

/** A complete MCP result, as a tool may return it. */
export interface ToolResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: JsonValue;
  /** The tool ran and reports a failure. */
  readonly isError?: boolean;
  readonly _meta?: JsonObject;
}

/** Returns a text block. */
export function text(value: string): ContentBlock {
  return { type: 'text', text: value };
}

/** Returns the blocks of an outcome that a model reads: at least one, and none empty, because some providers reject empty blocks. */
export function readableBlocks(outcome: {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: JsonValue;
  readonly error?: { readonly message: string };
}): readonly ContentBlock[] {
  const { content, structuredContent, error } = outcome;
  const blocks = content.filter((block) => block.type !== 'text' || block.text !== '');
  if (blocks.length > 0) return blocks;
  if (structuredContent !== undefined) return [text(JSON.stringify(structuredContent))];
  return [text(error?.message || '(no output)')];
}

/** Renders a result for people: text unchanged, other blocks as labels. */
export function renderContent(content: readonly ContentBlock[], limit: number): string {
  let rendered = '';
  for (const block of content) {
    if (rendered.length > limit) break;
    if (rendered !== '') rendered += '\n';
    rendered += renderBlock(block, limit);
  }
  return rendered;
}

function renderBlock(block: ContentBlock, limit: number): string {
  switch (block.type) {
    case 'text':
      return block.text.length > limit ? block.text.slice(0, limit + 1) : block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}]`;
    case 'resource':
      return `[resource ${JSON.stringify(block.resource['uri'])}]`;
    case 'resource_link':
      return `[resource ${block.uri}]`;
    default:
      return unknownBlock(block);
  }
}

/** Describes a block of an unknown type, which a newer revision of MCP may have added. It passes through, but is not in the union. */
export function unknownBlock(block: never): string {
  return `[${(block as { readonly type: string }).type}]`;
}
