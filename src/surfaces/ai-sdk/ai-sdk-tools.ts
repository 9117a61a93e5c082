import { type JSONSchema7, type ToolSet, dynamicTool, jsonSchema } from 'ai';
import { readableBlocks } from '../../core/tools/content.ts';
import type { CallResult } from '../../core/calls/call.ts';
import type { ProviderFormat } from '../providers/provider-format.ts';
import { anthropicFormat, genericFormat, geminiFormat, openaiFormat } from '../providers/formats.ts';
import {
  type ProviderTool,
  type ProviderTools,
  callProviderTool,
  toProviderTools,
} from '../providers/provider-tools.ts';
import { mediaOf, textOf } from '../result-content.ts';
import { type SurfaceCallOptions, type ToolBox, oncePerCatalog } from '../tool-box.ts';
import { CallFailed } from './call-failed.ts';

/** Options of `aiSdkTools`, and of the calls that it makes. */
export interface AiSdkOptions extends Omit<SurfaceCallOptions, 'signal'> {
  /** Converts names and schemas to this provider's format. Without it, schemas are passed on unchanged. */
  readonly provider?: 'anthropic' | 'openai' | 'google';
}

/**
 * Returns the current tools of a box for the AI SDK. Each runs through the box, and its content goes to the model, images included. A call that
 * did not complete is a tool error of the AI SDK: a `CallFailed` with the whole result.
 *
 * @example
 * await generateText({ model, prompt, tools: aiSdkTools(box), stopWhen: isStepCount(5) });
 */
export function aiSdkTools(box: ToolBox, { provider, ...options }: AiSdkOptions = {}): ToolSet {
  const listing = oncePerCatalog(box, `ai-sdk ${provider ?? 'any'}`, (definitions) =>
    toProviderTools(definitions, provider === undefined ? genericFormat : formats[provider]),
  );
  return Object.fromEntries(listing.tools.map((tool) => [tool.name, aiSdkTool(box, listing, tool, options)]));
}

const formats: Readonly<Record<'anthropic' | 'openai' | 'google', ProviderFormat>> = {
  anthropic: anthropicFormat(),
  openai: openaiFormat(),
  google: geminiFormat,
};

function aiSdkTool(
  box: ToolBox,
  listing: ProviderTools,
  tool: ProviderTool,
  options: SurfaceCallOptions,
): ToolSet[string] {
  const { name, definition, schema, strict } = tool;
  return dynamicTool({
    description: definition.description,
    inputSchema: jsonSchema(schema as JSONSchema7),
    ...(definition.providerOptions === undefined ? {} : { providerOptions: ownOptions(definition.providerOptions) }),
    ...(strict === true ? { strict } : {}),
    metadata: { server: definition.id.server, tool: definition.id.tool },
    async execute(input, { toolCallId, abortSignal }) {
      const callOptions = abortSignal === undefined ? options : { ...options, signal: abortSignal };
      const result = await callProviderTool(box, listing, { id: toolCallId, name, input }, callOptions);
      if (result.outcome !== 'completed') throw new CallFailed(result);
      return result;
    },
    toModelOutput: ({ output }) => modelOutput(output as CallResult),
  });
}

type ProviderOptions = NonNullable<ToolSet[string]['providerOptions']>;

/** Returns the options that are objects; the AI SDK accepts no others. */
function ownOptions(given: NonNullable<ProviderTool['definition']['providerOptions']>): ProviderOptions {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === 'object')) as ProviderOptions;
}

type ModelOutput = Awaited<ReturnType<NonNullable<ToolSet[string]['toModelOutput']>>>;
type ContentPart = Extract<ModelOutput, { type: 'content' }>['value'][number];

/** Converts a result for the model. Content without media becomes plain text, which every provider accepts. */
function modelOutput(result: CallResult): ModelOutput {
  const blocks = readableBlocks(result);
  if (blocks.every((block) => mediaOf(block) === undefined))
    return { type: 'text', value: blocks.map(textOf).join('\n') };
  const value = blocks.map((block): ContentPart => {
    const media = mediaOf(block);
    return media === undefined
      ? { type: 'text', text: textOf(block) }
      : { type: 'file', mediaType: media.mimeType, data: { type: 'data', data: media.data } };
  });
  return { type: 'content', value };
}
