import type { LanguageModel } from 'ai';

type Step = { readonly text: string } | { readonly tool: string; readonly input: object };
type Model = Extract<LanguageModel, { specificationVersion: 'v4' }>;

/** A model of the AI SDK that does these steps, one each time it is asked. */
export function scriptedModel(steps: readonly Step[]): Model {
  let asked = 0;
  return {
    specificationVersion: 'v4',
    provider: 'example',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate() {
      const step = steps[asked++] ?? { text: '' };
      const calls = 'tool' in step;
      return Promise.resolve({
        content: calls
          ? [{ type: 'tool-call', toolCallId: `call_${asked}`, toolName: step.tool, input: JSON.stringify(step.input) }]
          : [{ type: 'text', text: step.text }],
        finishReason: { unified: calls ? 'tool-calls' : 'stop', raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      });
    },
    doStream() {
      return Promise.reject(new Error('this model does not stream'));
    },
  };
}
