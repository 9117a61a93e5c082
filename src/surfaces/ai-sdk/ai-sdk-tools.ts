import { type JSONSchema7, type ToolSet, dynamicTool, jsonSchema } from 'ai';
import { readableBlocks } from '../../core/tools/content.ts';
import type { CallResult } from '../../core/calls/call.ts';
import { formatsByProvider, genericFormat } from '../providers/formats.ts';
import { toSdkOptions } from '../providers/provider-format.ts';
import {
  type ProviderTool,
  type ProviderTools,
  callProviderTool,
  toProviderTools,
} from '../providers/provider-tools.ts';
import { allText, mediaOf, textOf } from '../result-content.ts';
import { type SurfaceCallOptions, type ToolBox, oncePerCatalog } from '../tool-box.ts';

/** Options of `aiSdkTools`, and of the calls that it makes. */
export interface AiSdkOptions extends Omit<SurfaceCallOptions, 'signal'> {
  /** Converts names and schemas to this provider's format. Without it, schemas are passed on unchanged. */
  readonly provider?: 'anthropic' | 'openai' | 'google';
}

/**
 * Returns the current tools of a box for the AI SDK. Each runs through the box, and its content goes to the model, images included. A call that
 * did not complete is a tool error of the AI SDK: a `CallFailedError` with the whole result.
 *
 * @example
 * await generateText({ model, prompt, tools: aiSdkTools(box), stopWhen: isStepCount(5) });
 */
export function aiSdkTools(box: ToolBox, { provider, ...options }: AiSdkOptions = {}): ToolSet {
  const listing = oncePerCatalog(box, `ai-sdk ${provider ?? 'any'}`, (definitions) =>
    toProviderTools(definitions, formatsByProvider.get(provider ?? '') ?? genericFormat),
  );
  return Object.fromEntries(listing.tools.map((tool) => [tool.name, aiSdkTool(box, listing, tool, options)]));
}

/** Tools that follow the catalog. Spread it into the options of `generateText`, `streamText` or an agent. */
export interface AiSdkSteps {
  readonly tools: ToolSet;
  /** Reads the catalog again; the AI SDK calls it before each step. */
  prepareStep(): undefined;
}

/**
 * Returns the tools of a box, updated before each step: the model sees the tools that were added, changed or removed since the last step.
 * Create one for each run, because the set changes.
 *
 * @example
 * await generateText({ model, prompt, ...aiSdkSteps(box), stopWhen: isStepCount(5) });
 */
export function aiSdkSteps(box: ToolBox, options: AiSdkOptions = {}): AiSdkSteps {
  const tools: ToolSet = aiSdkTools(box, options);
  let from = box.tools();
  return {
    tools,
    prepareStep() {
      if (box.tools() === from) return undefined;
      from = box.tools();
      // A step cannot replace the tool set of the AI SDK, so the set is changed in place.
      for (const name of Object.keys(tools)) delete tools[name];
      Object.assign(tools, aiSdkTools(box, options));
      return undefined;
    },
  };
}

/** A call that did not complete, as an error for the AI SDK. The model reads its message. */
export class CallFailedError extends Error {
  override readonly name = 'CallFailedError';
  readonly result: CallResult;

  constructor(result: CallResult) {
    super(allText(result));
    this.result = result;
  }

  /** The AI SDK sends this text to the model. */
  override toString(): string {
    return this.message;
  }
}

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
    ...(definition.providerOptions === undefined ? {} : { providerOptions: toSdkOptions(definition.providerOptions) }),
    ...(strict === true ? { strict } : {}),
    metadata: { server: definition.id.server, tool: definition.id.tool },
    async execute(input, { toolCallId, abortSignal }) {
      const callOptions = abortSignal === undefined ? options : { ...options, signal: abortSignal };
      const result = await callProviderTool(box, listing, { id: toolCallId, name, input }, callOptions);
      if (result.outcome !== 'completed') throw new CallFailedError(result);
      return result;
    },
    toModelOutput: ({ output }) => modelOutput(output as CallResult),
  });
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
