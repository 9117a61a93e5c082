import { type ContentBlock, type ToolResult, text } from '../../core/tools/content.ts';
import type { ToolContext } from '../../core/tools/tool-context.ts';
import { SignalboxError } from '../../core/errors.ts';
import { type JsonObject, isJsonObject } from '../../core/json/json.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { ToolAnnotations } from '../../core/tools/tool.ts';
import { type SignalboxTool, type ToolSchema, assertTool } from './define-tool.ts';

/** The members of an AI SDK tool (`tool({...})`) that are used here. */
export interface AiSdkTool {
  readonly description?: unknown;
  readonly title?: string | undefined;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly providerOptions?: unknown;
  readonly strict?: unknown;
  /** Converts an output to the form that models read. */
  readonly toModelOutput?: ((options: never) => unknown) | undefined;
  readonly execute?: ((...args: never[]) => unknown) | undefined;
}

/** The members of a Claude Agent SDK tool (`tool(name, description, shape, handler)`) that are used here. */
export interface ClaudeTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: unknown;
  readonly annotations?: ToolAnnotations | undefined;
  readonly handler: (...args: never[]) => unknown;
}

/** Any tool object that a local server accepts. */
export type AnyTool = SignalboxTool | AiSdkTool | ClaudeTool;

/** Converts tools of other SDKs to our form, without a change of behavior. `key` names a tool without a name of its own. */
export function toTool(given: AnyTool, key: string | undefined): SignalboxTool {
  if (typeof given === 'object' && given !== null) {
    if (isOwn(given)) return assertTool(given);
    if (isClaude(given)) return assertTool(fromClaude(given));
    if (isAiSdk(given)) return fromAiSdk(given, key);
  }
  throw new SignalboxError(
    'tool-invalid',
    `${key === undefined ? 'a tool' : `tool "${key}"`} is neither made by defineTool nor a tool of the AI SDK or the Claude Agent SDK`,
  );
}

function isOwn(given: AnyTool): given is SignalboxTool {
  return 'run' in given && typeof given.run === 'function';
}

function isClaude(given: AnyTool): given is ClaudeTool {
  return 'handler' in given && typeof given.handler === 'function' && 'name' in given;
}

function isAiSdk(given: AnyTool): given is AiSdkTool {
  return 'inputSchema' in given;
}

function fromClaude(given: ClaudeTool): SignalboxTool {
  const { name, description, inputSchema, annotations } = given;
  const handler = given.handler.bind(given) as (args: unknown, extra: unknown) => unknown;
  return omitUndefined({
    name,
    description,
    input: isEmptyShape(inputSchema) ? undefined : (inputSchema as ToolSchema),
    annotations,
    run: (args: unknown, context: ToolContext) => handler(args, { signal: context.signal }),
  });
}

/** Handles `{}`, which means no arguments in the Claude Agent SDK, but any arguments as JSON Schema. */
function isEmptyShape(schema: unknown): boolean {
  return (
    typeof schema === 'object' &&
    schema !== null &&
    Object.getPrototypeOf(schema) === Object.prototype &&
    Object.keys(schema).length === 0
  );
}

function fromAiSdk(given: AiSdkTool, key: string | undefined): SignalboxTool {
  if (key === undefined)
    throw new SignalboxError(
      'tool-invalid',
      'a tool of the AI SDK has no name of its own: give the tools as an object, { name: tool }',
    );
  const execute = given.execute?.bind(given) as ((input: unknown, options: unknown) => unknown) | undefined;
  if (execute === undefined)
    throw new SignalboxError('tool-invalid', `tool "${key}" has no execute function, so nothing can be run`);
  const toModelOutput = given.toModelOutput?.bind(given) as ToModelOutput | undefined;
  const run = (args: unknown, context: ToolContext): unknown =>
    finalValue(
      execute(args, { toolCallId: context.callId, messages: [], abortSignal: context.signal, context: undefined }),
      context,
    );
  return omitUndefined({
    name: key,
    description: typeof given.description === 'string' ? given.description : key,
    title: given.title,
    input: given.inputSchema as ToolSchema,
    providerOptions: providerOptionsOf(given),
    // A structured result would show a model the fields that `toModelOutput` leaves out, so the tool declares none.
    output: toModelOutput === undefined ? (given.outputSchema as ToolSchema | undefined) : undefined,
    run:
      toModelOutput === undefined
        ? run
        : async (input: unknown, context: ToolContext) => {
            const output = await run(input, context);
            return resultOfModelOutput(await toModelOutput({ toolCallId: context.callId, input, output }));
          },
  });
}

/** `strict` is a field of its own in the AI SDK; OpenAI and Anthropic are the providers that have it. */
function providerOptionsOf({ providerOptions, strict }: AiSdkTool): JsonObject | undefined {
  const given = isJsonObject(providerOptions) ? providerOptions : undefined;
  if (typeof strict !== 'boolean') return given;
  const withStrict = (provider: string): JsonObject => {
    const own = given?.[provider];
    return { strict, ...(isJsonObject(own) ? own : {}) };
  };
  return { ...given, openai: withStrict('openai'), anthropic: withStrict('anthropic') };
}

type ToModelOutput = (options: { toolCallId: string; input: unknown; output: unknown }) => unknown;

/** An AI SDK tool may yield preliminary results; the last one counts, the others are progress. */
function finalValue(returned: unknown, context: ToolContext): unknown {
  return isAsyncIterable(returned) ? lastOf(returned, context) : returned;
}

async function lastOf(values: AsyncIterable<unknown>, context: ToolContext): Promise<unknown> {
  let last: unknown;
  let count = 0;
  for await (const value of values) {
    // Leaving the loop ends a generator that ignores its signal.
    if (context.signal.aborted) break;
    if (count > 0) context.progress({ progress: count });
    last = value;
    count += 1;
  }
  return last;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Converts a model output of the AI SDK to a result. Nothing else of the tool's output leaves the tool. */
function resultOfModelOutput(output: unknown): unknown {
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
  const { type, text: plain, data, mediaType } = (isJsonObject(part) ? part : {}) as Record<string, unknown>;
  if (type === 'text' && typeof plain === 'string') return text(plain);
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
