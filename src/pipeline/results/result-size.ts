import { isDeepStrictEqual } from 'node:util';
import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import type { ContentBlock } from '../../core/tools/content.ts';
import { type JsonValue, inspectJson, isJsonObject } from '../../core/json/json.ts';

/** Limits above which a result is shortened. All media of a result together may have four times `maxMediaBytes`. */
export interface SizeLimits {
  readonly maxBytes: number;
  readonly maxMediaBytes: number;
}

/** The sizes of a result. Neither number includes media. */
export interface ResultSize {
  /** Text that does not repeat the structured content, in bytes. */
  readonly textBytes: number;
  readonly structuredBytes: number;
  /** Text blocks that repeat the structured content: all of it as JSON, or one string of it. */
  readonly duplicates: ReadonlyMap<ContentBlock, 'json' | 'string'>;
  /** Base64 strings of pictures, sounds and files, in content and structured content. */
  readonly media: ReadonlySet<string>;
  /** The media that exceed their limit. */
  readonly tooLarge: ReadonlySet<string>;
}

const maxBytesPerCharacter = 3;
const maxMediaMultiple = 4;
/** Shorter strings, in characters, are not searched for duplicates or media. */
const minDuplicateLength = 256;

/** Estimates cheaply whether a result is within its limits. When it returns false, the caller must measure the result. */
export function isCertainlyWithinLimits(outcome: CallOutcome, { maxBytes, maxMediaBytes }: SizeLimits): boolean {
  const { content, structuredContent } = outcome;
  let characters = 0;
  let media = 0;
  for (const block of content) {
    const data = mediaOfBlock(block);
    if (data === undefined) characters += block.type === 'text' ? block.text.length : JSON.stringify(block).length;
    else if (base64Bytes(data) > maxMediaBytes) return false;
    else media += base64Bytes(data);
  }
  const maxCharacters = maxBytes / maxBytesPerCharacter;
  if (characters > maxCharacters || media > maxMediaBytes * maxMediaMultiple) return false;
  if (structuredContent === undefined) return true;
  const inspection = inspectJson(structuredContent, maxCharacters - characters);
  return inspection.ok && characters + inspection.size <= maxCharacters;
}

/** Measures a result exactly, which reads all of it. */
export function measureResult(outcome: CallOutcome, { maxMediaBytes }: SizeLimits): ResultSize {
  const { content, structuredContent } = outcome;
  const media = new Set<string>();
  const strings = new Set<string>();
  for (const block of content) {
    const data = mediaOfBlock(block);
    if (data !== undefined) media.add(data);
  }
  if (structuredContent !== undefined) collect(structuredContent, strings, media);
  const duplicates = new Map<ContentBlock, 'json' | 'string'>();
  let textBytes = 0;
  for (const block of content) {
    const kind = structuredContent === undefined ? undefined : duplicateKind(block, structuredContent, strings);
    if (kind !== undefined) duplicates.set(block, kind);
    else if (mediaOfBlock(block) === undefined) textBytes += blockBytes(block);
  }
  return {
    textBytes,
    structuredBytes: structuredContent === undefined ? 0 : jsonBytes(structuredContent, media),
    duplicates,
    media,
    tooLarge: mediaOverLimit(media, maxMediaBytes),
  };
}

/** Returns the base64 text of an image, audio or file block. A block of such a type that contains text counts as text. */
export function mediaOfBlock(block: ContentBlock): string | undefined {
  if (block.type === 'image' || block.type === 'audio')
    return isMedia(block.mimeType, block.data) ? block.data : undefined;
  if (block.type !== 'resource') return undefined;
  const { blob, mimeType } = block.resource;
  return typeof blob === 'string' && isMedia(mimeType, blob) ? blob : undefined;
}

function isMedia(mimeType: unknown, data: string): boolean {
  const isText =
    typeof mimeType === 'string' && /^\s*(?:text\/|application\/(?:json|xml|javascript|yaml)\b)/i.test(mimeType);
  return !isText && !/[^\w+/=\r\n-]/.test(data);
}

/** Returns the bytes of a block that is not media. */
export function blockBytes(block: ContentBlock): number {
  return Buffer.byteLength(block.type === 'text' ? block.text : JSON.stringify(block));
}

/** Returns the size of a value as JSON in bytes, without media. */
export function jsonBytes(value: JsonValue, media: ReadonlySet<string>): number {
  const left = JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' && media.has(each) ? '' : each));
  return Buffer.byteLength(left);
}

export function base64Bytes(data: string): number {
  return Math.floor((data.length * 3) / 4);
}

function mediaOverLimit(media: ReadonlySet<string>, maxMediaBytes: number): ReadonlySet<string> {
  const tooLarge = new Set<string>();
  let room = maxMediaBytes * maxMediaMultiple;
  for (const data of media) {
    const size = base64Bytes(data);
    if (size > maxMediaBytes || size > room) tooLarge.add(data);
    else room -= size;
  }
  return tooLarge;
}

/** Collects the longer strings of a value, and those of them that are media. */
function collect(value: JsonValue, strings: Set<string>, media: Set<string>): void {
  if (typeof value === 'string') {
    if (value.length < minDuplicateLength) return;
    const address = /^data:([\w.+/-]+);base64,/.exec(value.slice(0, 128));
    if (address !== null && isMedia(address[1], value.slice(address[0].length))) media.add(value);
    else strings.add(value);
  } else if (isJsonObject(value)) {
    const { type, data, mimeType, blob } = value;
    const isTyped = typeof mimeType === 'string';
    if (isTyped && (type === 'image' || type === 'audio') && typeof data === 'string' && isMedia(mimeType, data))
      media.add(data);
    if (typeof blob === 'string' && (isTyped || typeof value['uri'] === 'string') && isMedia(mimeType, blob))
      media.add(blob);
    for (const each of Object.values(value)) collect(each, strings, media);
  } else if (Array.isArray(value)) for (const each of value as readonly JsonValue[]) collect(each, strings, media);
}

function duplicateKind(
  block: ContentBlock,
  structuredContent: JsonValue,
  strings: ReadonlySet<string>,
): 'json' | 'string' | undefined {
  if (block.type !== 'text' || block.text.length < minDuplicateLength) return undefined;
  if (strings.has(block.text)) return 'string';
  try {
    return isDeepStrictEqual(JSON.parse(block.text), structuredContent) ? 'json' : undefined;
  } catch {
    return undefined;
  }
}
