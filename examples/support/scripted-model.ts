import type { LanguageModel } from 'ai';

type Step = { readonly text: string } | { readonly tool: string; readonly input: object };
type Model = Extract<LanguageModel, { specificationVersion: 'v4' }>;

type Generated = Awaited<ReturnType<Model['doGenerate']>>;
type Part = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Each> ? Each : never;

/** Creates a model of the AI SDK that generates these steps, one for each request. */
export function scriptedModel(steps: readonly Step[]): Model {
  let requests = 0;
  const next = (): Generated => {
    const step = steps[requests++] ?? { text: '' };
    const calls = 'tool' in step;
    return {
      content: calls
        ? [
            {
              type: 'tool-call',
              toolCallId: `call_${requests}`,
              toolName: step.tool,
              input: JSON.stringify(step.input),
            },
          ]
        : [{ type: 'text', text: step.text }],
      finishReason: { unified: calls ? 'tool-calls' : 'stop', raw: undefined },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    };
  };
  return {
    specificationVersion: 'v4',
    provider: 'example',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.resolve(next()),
    doStream: () => Promise.resolve({ stream: ReadableStream.from(partsOf(next())) }),
  };
}

/** Splits a response into stream parts, word by word. */
function* partsOf({ content, finishReason, usage, warnings }: Generated): Generator<Part> {
  yield { type: 'stream-start', warnings };
  for (const block of content) {
    if (block.type === 'tool-call') yield block;
    if (block.type !== 'text') continue;
    yield { type: 'text-start', id: 'text' };
    for (const delta of block.text.split(/(?<= )/)) yield { type: 'text-delta', id: 'text', delta };
    yield { type: 'text-end', id: 'text' };
  }
  yield { type: 'finish', finishReason, usage };
}
