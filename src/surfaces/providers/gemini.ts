import { readableBlocks } from '../../core/tools/content.ts';
import type { CallResult } from '../../core/calls/call.ts';
import type { JsonValue } from '../../core/json/json.ts';
import { type Media, mediaOf, textOf } from '../result-content.ts';
import { type SurfaceCallOptions, type ToolBox } from '../tool-box.ts';
import { optionsFor } from './provider-format.ts';
import { geminiFormat } from './formats.ts';
import { type ProviderTool, type ToolWarning, callProviderTool, formatTools } from './provider-tools.ts';

/** A list of tools in the format of the Gemini API. */
export interface GeminiTool {
  functionDeclarations: GeminiFunctionDeclaration[];
}

/** A tool of the Gemini API. */
export interface GeminiFunctionDeclaration {
  name: string;
  description: string;
  parametersJsonSchema: Record<string, unknown>;
}

/** A part of a response. Only parts with a `functionCall` are used. */
export interface GeminiPart {
  readonly functionCall?: { readonly id?: string; readonly name?: string; readonly args?: unknown };
}

/** The result of a `functionCall`. */
export type GeminiResultPart = { functionResponse: GeminiFunctionResponse } | GeminiInlineData;

/** The response of a function. */
export interface GeminiFunctionResponse {
  id?: string;
  name: string;
  response: { output: JsonValue } | { error: string };
  parts?: GeminiInlineData[];
}

/** Inline media of a part. */
export interface GeminiInlineData {
  inlineData: { mimeType: string; data: string };
}

/** Options of `geminiTools`. */
export interface GeminiOptions {
  /** The place of images and documents of a result: inside the response (Gemini 3 and later), or beside it (earlier models). */
  readonly media?: 'inside' | 'beside';
}

/** The tools of a box for the Gemini API, and the function that runs their calls. */
export interface GeminiTools {
  tools: GeminiTool[];
  readonly warnings: readonly ToolWarning[];
  /** Runs the calls of a response (`content.parts`) in parallel, of exactly these tools. */
  call(parts: readonly GeminiPart[] | undefined, options?: SurfaceCallOptions): Promise<GeminiResultPart[]>;
}

/**
 * Returns the tools of a box for Google's Gemini API.
 *
 * @example
 * const { tools, call } = geminiTools(box);
 * const { candidates } = await client.models.generateContent({ model, contents, config: { tools } });
 * contents.push(candidates[0].content, { role: 'user', parts: await call(candidates[0].content.parts) });
 */
export function geminiTools(box: ToolBox, { media = 'inside' }: GeminiOptions = {}): GeminiTools {
  const { listing, written } = formatTools(box, 'gemini', geminiFormat, toolOf);
  return {
    // The API refuses an empty list of declarations.
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
  // A single text block only repeats the structured result.
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
