import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import { type ContentBlock, text } from '../../core/tools/content.ts';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import { truncateUtf8 } from './truncate-utf8.ts';
import { type ResultSize, type SizeLimits, base64Bytes, blockBytes, mediaOfBlock } from './result-size.ts';
import { type ShortenedStructure, shortenStructured } from './shorten-structured.ts';

/** Options of `shortenResult`. */
export interface ShorteningOptions extends SizeLimits {
  /** The reference to the full result; appended to the longest string that was cut. */
  readonly reference: string;
  /** Returns whether structured content still fits the output schema of its tool. Throws when the check takes longer than `maxMs`. */
  isValid(value: JsonValue, maxMs: number): boolean;
}

/** The shortened form of a result. */
export interface ShortenedResult {
  readonly content: readonly ContentBlock[];
  readonly structuredContent?: JsonValue;
  /** The number of characters that are shown of a result that is one text. */
  readonly shown?: number;
}

/** About 12,000 tokens of text, which Claude Code shows its model in full. See `docs/decisions/results.md`. */
const maxPreviewBytes = 48_000;

/** Makes a result small enough, or returns `undefined` when no smaller one would fit the tool's output schema. */
export function shortenResult(
  outcome: CallOutcome,
  size: ResultSize,
  options: ShorteningOptions,
): ShortenedResult | undefined {
  const { structuredContent } = outcome;
  const { maxBytes, reference } = options;
  const { textBytes, structuredBytes, media, tooLarge } = size;
  const isOver = textBytes + structuredBytes > maxBytes;
  const preview = Math.min(maxBytes, maxPreviewBytes);
  // Text and structured content get half of the preview each when both are large.
  const roomBeside = (other: number): number => Math.max(Math.floor(preview / 2), preview - other);
  const short =
    structuredContent === undefined
      ? undefined
      : shortenStructured(structuredContent, {
          targetBytes: isOver ? roomBeside(textBytes) : structuredBytes,
          maxBytes,
          media,
          tooLarge,
          reference,
          isValid: (value, maxMs) => options.isValid(value, maxMs),
        });
  const isStructureUnchanged = structuredContent !== undefined && short === undefined;
  if (isStructureUnchanged) return shortenTextOnly(outcome, size, options, preview);
  const room = isOver ? roomBeside(structuredBytes) : textBytes;
  const { content, shown } = shortenContent(outcome.content, size, { ...options, room }, short);
  return omitUndefined({ content, structuredContent: short?.value ?? structuredContent, shown });
}

/** Shortens the content next to structured content that passes in full. Models read the text, so text that repeats the structured content counts, too. */
function shortenTextOnly(
  { content: blocks, structuredContent }: CallOutcome,
  size: ResultSize,
  options: ShorteningOptions,
  preview: number,
): ShortenedResult | undefined {
  const textBytes = blocks.reduce((sum, block) => sum + (mediaOfBlock(block) === undefined ? blockBytes(block) : 0), 0);
  const isOver = textBytes > options.maxBytes;
  if (!isOver && size.tooLarge.size === 0) return undefined;
  const room = isOver ? preview : textBytes;
  const shortened = shortenContent(blocks, { ...size, duplicates: new Map() }, { ...options, room }, undefined);
  return { ...shortened, ...omitUndefined({ structuredContent }) };
}

interface ContentRoom extends SizeLimits {
  readonly room: number;
}

function shortenContent(
  content: readonly ContentBlock[],
  { duplicates, tooLarge }: ResultSize,
  { room, maxMediaBytes }: ContentRoom,
  short: ShortenedStructure | undefined,
): { readonly content: readonly ContentBlock[]; readonly shown?: number } {
  let left = room;
  let shown: number | undefined;
  const made = content.flatMap((block): ContentBlock[] => {
    const media = mediaOfBlock(block);
    if (media !== undefined) return [tooLarge.has(media) ? text(mediaNote(block, media, maxMediaBytes)) : block];
    const duplicate = duplicates.get(block);
    if (duplicate !== undefined && block.type === 'text') {
      if (short === undefined) return [block];
      if (duplicate === 'json') return [{ ...block, text: printLike(block.text, short.value) }];
      const cut = short.strings.get(block.text) ?? block.text;
      shown = commonLength(cut, block.text);
      return [{ ...block, text: cut }];
    }
    const bytes = blockBytes(block);
    const fitting = bytes <= left ? block : cutBlock(block, left);
    left -= Math.min(left, bytes);
    if (fitting?.type === 'text') shown = fitting.text.length;
    return fitting === undefined ? [] : [fitting];
  });
  return content.length === 1 && shown !== undefined ? { content: made, shown } : { content: made };
}

/** Returns the beginning of a text block; `undefined` for a block that cannot be cut. */
function cutBlock(block: ContentBlock, room: number): ContentBlock | undefined {
  if (room === 0) return undefined;
  if (block.type === 'text') return { ...block, text: truncateUtf8(block.text, room) };
  if (block.type !== 'resource' || typeof block.resource['text'] !== 'string') return undefined;
  const resource: JsonObject = { ...block.resource, text: truncateUtf8(block.resource['text'], room) };
  return { ...block, resource };
}

/** Prints a shortened value as JSON, indented like the text that it replaces. */
function printLike(before: string, value: JsonValue): string {
  const indent = /^[[{]\n( +)/.exec(before)?.[1]?.length;
  return JSON.stringify(value, undefined, indent);
}

function commonLength(cut: string, full: string): number {
  const end = Math.min(cut.length, full.length);
  let length = 0;
  while (length < end && cut.charCodeAt(length) === full.charCodeAt(length)) length += 1;
  return length;
}

function mediaNote(block: ContentBlock, data: string, maxMediaBytes: number): string {
  const type = block.type === 'image' || block.type === 'audio' ? block.mimeType : String(resourceType(block));
  return `[${block.type} ${type}, ${megabytes(base64Bytes(data))}: omitted, because media is limited to ${megabytes(maxMediaBytes)} here (results.maxMediaBytes)]`;
}

function resourceType(block: ContentBlock): unknown {
  return block.type === 'resource' ? (block.resource['mimeType'] ?? block.resource['uri']) : undefined;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 104_857.6) / 10} MB`;
}
