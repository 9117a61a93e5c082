import type { LanguageModel } from 'ai';
import { pieces } from './api-server.ts';
import { type ScriptedInput, type ModelScript, isRefusal } from './model-script.ts';

type Model = Extract<LanguageModel, { specificationVersion: 'v4' }>;
type Request = Parameters<Model['doStream']>[0];
type StreamPart = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/** A scripted language model of the AI SDK in this process. */
export function scriptedModel(script: ModelScript): Model {
  let requests = 0;
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('turns are streamed')),
    doStream: (request) => Promise.resolve({ stream: ReadableStream.from(stream(script, request, (requests += 1))) }),
  };
}

async function* stream(script: ModelScript, request: Request, index: number): AsyncGenerator<StreamPart> {
  const answer = script(toModelInput(request));
  if (isRefusal(answer)) throw new Error(answer.message);
  yield { type: 'stream-start', warnings: [] };
  for (const [position, block] of answer.entries()) {
    const id = `${index}_${position}`;
    switch (block.type) {
      case 'text':
      case 'thinking': {
        const kind = block.type === 'text' ? 'text' : 'reasoning';
        yield { type: `${kind}-start`, id };
        for (const delta of pieces(block.text)) yield { type: `${kind}-delta`, id, delta };
        yield { type: `${kind}-end`, id };
        break;
      }
      case 'tool_use':
        yield {
          type: 'tool-call',
          toolCallId: id,
          toolName: block.name,
          input: block.raw ?? JSON.stringify(block.input),
        };
        break;
      case 'drop':
        throw new Error('the connection broke');
      case 'truncate':
        return;
      case 'cut':
        break;
      case 'wait':
        await new Promise((_, reject) => {
          request.abortSignal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
        });
    }
  }
  const calls = answer.some(({ type }) => type === 'tool_use');
  yield {
    type: 'finish',
    finishReason: { unified: answer.at(-1)?.type === 'cut' ? 'length' : calls ? 'tool-calls' : 'stop', raw: undefined },
    usage: {
      inputTokens: { total: 10, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 5, text: undefined, reasoning: undefined },
    },
  };
}

function toModelInput({ prompt, tools = [] }: Request): ScriptedInput {
  const last = prompt.findLastIndex(({ role }) => role === 'user');
  return {
    userMessages: prompt.flatMap((message) =>
      message.role === 'user' ? [message.content.map((part) => (part.type === 'text' ? part.text : '')).join('')] : [],
    ),
    results: prompt.slice(last + 1).flatMap((message) =>
      message.role !== 'tool'
        ? []
        : message.content.flatMap((part) => {
            if (part.type !== 'tool-result' || !('value' in part.output)) return [];
            const { type, value } = part.output;
            return [{ text: typeof value === 'string' ? value : JSON.stringify(value), failed: type === 'error-text' }];
          }),
    ),
    tools: tools.map(({ name }) => name),
  };
}
