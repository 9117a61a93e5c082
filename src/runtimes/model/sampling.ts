import type { AssistantContent, AssistantModelMessage, ModelMessage, ToolContent, UserContent } from 'ai';
import type { SamplingAnswer, SamplingRequest } from '../../core/calls/call-client.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { abortReason } from '../../core/async/light-abort-signal.ts';
import type { SampleOptions } from '../runtime.ts';
import { type ModelRuntimeOptions, loadStepFunction } from './model-turn.ts';
import { chooseModel } from './providers/choose-model.ts';
import type { RequestedCall } from './step.ts';

/**
 * Sends one `sampling/createMessage` request to a model. The model sees only what the request holds: nothing of the session,
 * and no tools but those that the server offers, which the server runs itself. Model preferences are not followed.
 */
export async function runSampling(
  settings: ModelRuntimeOptions,
  request: SamplingRequest,
  { model: name, signal }: SampleOptions,
): Promise<SamplingAnswer> {
  const chosen = settings.chooseModel?.(name) ?? (await chooseModel(name, settings.providers ?? {}));
  const { systemPrompt, temperature, stopSequences } = request;
  const tools = toolsOf(request);
  const takeStep = await loadStepFunction(chosen);
  const step = await takeStep({
    chosen,
    instructions: typeof systemPrompt === 'string' ? systemPrompt : '',
    messages: new SamplingMessageParser().read(request.messages),
    tools,
    signal,
    answerTokens: Math.min(request.maxTokens, settings.limits?.answerTokens ?? Number.POSITIVE_INFINITY),
    settings: {
      ...(typeof temperature === 'number' ? { temperature } : {}),
      ...(isTexts(stopSequences) ? { stopSequences: [...stopSequences] } : {}),
      ...(tools.length === 0 ? {} : { toolChoice: toolChoiceOf(request) }),
    },
    emit: () => undefined,
    identify: (tool) => ({ server: '', tool }),
  });
  switch (step.ended) {
    case 'failed':
      throw new Error(step.failure.message);
    case 'aborted':
      throw abortReason(signal);
    case 'cut':
      return answerOf(name, step.message, [], 'maxTokens');
    case 'complete':
      return answerOf(name, step.message, step.calls, step.calls.length > 0 ? 'toolUse' : 'endTurn');
  }
}

/** Reads the messages of a request. A tool result refers to its call by id only, so the reader remembers the calls before it. */
class SamplingMessageParser {
  readonly #toolNames = new Map<string, string>();

  read(messages: readonly JsonValue[]): ModelMessage[] {
    return messages.flatMap((message, index): ModelMessage[] => {
      if (!isJsonObject(message)) throw new Error(`messages[${index}] is not an object`);
      const { role, content } = message;
      const blocks = (Array.isArray(content) ? (content as readonly JsonValue[]) : [content]).filter(isJsonObject);
      if (role === 'assistant') return [{ role, content: blocks.map((block) => this.#assistantPart(block)) }];
      if (role !== 'user') throw new Error(`messages[${index}].role must be "user" or "assistant"`);
      const results = blocks.filter(({ type }) => type === 'tool_result');
      const others = blocks.filter(({ type }) => type !== 'tool_result');
      const read: ModelMessage[] = [];
      if (results.length > 0) read.push({ role: 'tool', content: results.map((block) => this.#toolResult(block)) });
      if (others.length > 0) read.push({ role: 'user', content: others.map(userPart) });
      return read;
    });
  }

  #assistantPart(block: JsonObject): Exclude<AssistantContent, string>[number] {
    const { type, id, name, input } = block;
    if (type === 'text') return { type, text: textOf(block) };
    if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') throw unusable(block);
    this.#toolNames.set(id, name);
    return { type: 'tool-call', toolCallId: id, toolName: name, input: input ?? {} };
  }

  #toolResult(block: JsonObject): ToolContent[number] {
    const { toolUseId, content, isError } = block;
    const toolName = typeof toolUseId === 'string' ? this.#toolNames.get(toolUseId) : undefined;
    if (typeof toolUseId !== 'string' || toolName === undefined) throw unusable(block);
    const value = (Array.isArray(content) ? (content as readonly JsonValue[]) : [])
      .filter(isJsonObject)
      .map((each) => (each['type'] === 'text' ? textOf(each) : JSON.stringify(each)))
      .join('\n');
    const output = { type: isError === true ? ('error-text' as const) : ('text' as const), value };
    return { type: 'tool-result', toolCallId: toolUseId, toolName, output };
  }
}

function userPart(block: JsonObject): Exclude<UserContent, string>[number] {
  const { type, data, mimeType } = block;
  if (type === 'text') return { type, text: textOf(block) };
  if ((type !== 'image' && type !== 'audio') || typeof data !== 'string' || typeof mimeType !== 'string')
    throw unusable(block);
  // Marked as data, because the AI SDK fetches strings that look like URLs.
  return { type: 'file', mediaType: mimeType, data: { type: 'data', data } };
}

function textOf(block: JsonObject): string {
  const { text } = block;
  if (typeof text !== 'string') throw unusable(block);
  return text;
}

function unusable({ type }: JsonObject): Error {
  return new Error(`the sampling request has a content block that cannot be sent to a model: ${JSON.stringify(type)}`);
}

function toolsOf({ tools }: SamplingRequest): { name: string; description: string; inputSchema: JsonObject }[] {
  return (Array.isArray(tools) ? (tools as readonly JsonValue[]) : []).filter(isJsonObject).map((tool) => {
    const { name, description, inputSchema } = tool;
    if (typeof name !== 'string') throw new Error('a tool of the sampling request has no name');
    return {
      name,
      description: typeof description === 'string' ? description : '',
      inputSchema: isJsonObject(inputSchema) ? inputSchema : { type: 'object' },
    };
  });
}

function toolChoiceOf({ toolChoice }: SamplingRequest): 'auto' | 'required' | 'none' {
  const mode = isJsonObject(toolChoice) ? toolChoice['mode'] : undefined;
  return mode === 'required' || mode === 'none' ? mode : 'auto';
}

function answerOf(
  model: string,
  message: AssistantModelMessage | undefined,
  requested: readonly RequestedCall[],
  stopReason: string,
): SamplingAnswer {
  const calls = requested.map(({ toolCallId, toolName, input }): JsonObject => {
    return { type: 'tool_use', id: toolCallId, name: toolName, input: isJsonObject(input) ? input : {} };
  });
  const text = textIn(message);
  const texts: JsonObject[] = text === '' && calls.length > 0 ? [] : [{ type: 'text', text }];
  const blocks = [...texts, ...calls];
  // Revisions before 2025-11-25 know only a single block.
  return { role: 'assistant', model, content: blocks.length === 1 ? (blocks[0] ?? null) : blocks, stopReason };
}

function textIn(message: AssistantModelMessage | undefined): string {
  const content = message?.content ?? '';
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
