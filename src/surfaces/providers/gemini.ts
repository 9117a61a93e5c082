import { readableBlocks } from '../../core/tools/content.ts';
import type { CallResult } from '../../core/calls/call.ts';
import type { JsonValue } from '../../core/json/json.ts';
import { type Media, mediaOf, textOf } from '../result-content.ts';
import { type SurfaceCallOptions, type ToolBox } from '../tool-box.ts';
import { optionsFor } from './provider-format.ts';
import { geminiFormat } from './formats.ts';
import { type ProviderTool, type ToolWarning, callProviderTool, formatTools } from './provider-tools.ts';

/** Tools as the Gemini API takes them. */
export interface GeminiTool {
  functionDeclarations: GeminiFunctionDeclaration[];
}

/** One tool among them. */
export interface GeminiFunctionDeclaration {
  name: string;
  description: string;
  parametersJsonSchema: Record<string, unknown>;
}

/** A part of an answer. Only those with a `functionCall` are looked at. */
export interface GeminiPart {
  readonly functionCall?: { readonly id?: string; readonly name?: string; readonly args?: unknown };
}

/** A part that answers a `functionCall`. */
export type GeminiResultPart = { functionResponse: GeminiFunctionResponse } | GeminiInlineData;

/** What a function gave back. */
export interface GeminiFunctionResponse {
  id?: string;
  name: string;
  response: { output: JsonValue } | { error: string };
  parts?: GeminiInlineData[];
}

/** Bytes within a part. */
export interface GeminiInlineData {
  inlineData: { mimeType: string; data: string };
}

/** How results are written for Gemini. */
export interface GeminiOptions {
  /** Where images and documents of a result go: inside the response (Gemini 3 and later), or beside it (earlier models). */
  readonly media?: 'inside' | 'beside';
}

/** The tools of a box for the Gemini API, and the way back. */
export interface GeminiTools {
  tools: GeminiTool[];
  readonly warnings: readonly ToolWarning[];
  /** Makes the calls of an answer (`content.parts`), all at once, of exactly the tools listed here. */
  call(parts: readonly GeminiPart[] | undefined, options?: SurfaceCallOptions): Promise<GeminiResultPart[]>;
}

/**
 * The tools of a box for Google's Gemini API.
 *
 * @example
 * const { tools, call } = geminiTools(box);
 * const { candidates } = await client.models.generateContent({ model, contents, config: { tools } });
 * contents.push(candidates[0].content, { role: 'user', parts: await call(candidates[0].content.parts) });
 */
export function geminiTools(box: ToolBox, { media = 'inside' }: GeminiOptions = {}): GeminiTools {
  const { listing, written } = formatTools(box, 'gemini', geminiFormat, toolOf);
  return {
    // An empty list of declarations is refused.
    tools: written.length === 0 ? [] : [{ functionDeclarations: [...written] }],
    warnings: listing.warnings,
    async call(parts, options) {
      const results = await Promise.all(
        (parts ?? []).map(async ({ functionCall }) => {
          if (functionCall?.name === undefined) return [];
          const { id, name, args } = functionCall;
          const result = await callProviderTool(box, listing, { id, name, input: args }, options);
          return resultParts(id, name, result, media);
        }),
      );
      return results.flat();
    },
  };
}

function toolOf({ name, definition, schema }: ProviderTool): GeminiFunctionDeclaration {
  const { description } = definition;
  return { ...optionsFor(definition, 'google'), name, description, parametersJsonSchema: schema };
}

const shown = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif', 'application/pdf']);

function resultParts(
  id: string | undefined,
  name: string,
  result: CallResult,
  place: 'inside' | 'beside',
): GeminiResultPart[] {
  const media: Media[] = [];
  const texts: string[] = [];
  for (const block of readableBlocks(result)) {
    const bytes = result.outcome === 'completed' ? mediaOf(block) : undefined;
    if (bytes !== undefined && shown.has(bytes.mimeType)) media.push(bytes);
    else texts.push(textOf(block));
  }
  const inline = media.map(({ mimeType, data }) => ({ inlineData: { mimeType, data } }));
  const read = texts.length === 0 ? `(${inline.length} attached)` : texts.join('\n');
  // Beside a single text the structured result says the same, in a better form.
  const structured = texts.length <= 1 ? result.structuredContent : undefined;
  const response = {
    ...(id === undefined ? {} : { id }),
    name,
    response: result.outcome === 'completed' ? { output: structured ?? read } : { error: read },
  };
  if (inline.length === 0) return [{ functionResponse: response }];
  return place === 'inside'
    ? [{ functionResponse: { ...response, parts: inline } }]
    : [{ functionResponse: response }, ...inline];
}
