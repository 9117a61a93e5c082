import type { LanguageModel } from 'ai';

/** A language model as the AI SDK sees it. */
export type DemoLanguageModel = Extract<LanguageModel, { specificationVersion: 'v4' }>;
export type ModelRequest = Parameters<DemoLanguageModel['doStream']>[0];

/** A result of a call that the demo model made. */
export interface HeardResult {
  readonly tool: string;
  readonly text: string;
  readonly failed: boolean;
}

/** What the demo model understands of a request. */
export interface Heard {
  /** What the user said last. */
  readonly said: string;
  /** What came back since then. */
  readonly results: readonly HeardResult[];
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

/** Reads a request: the last thing the user said, what came of it so far, and the tools at hand. */
export function hear({ prompt, tools = [] }: ModelRequest): Heard {
  const last = prompt.findLastIndex(({ role }) => role === 'user');
  const asked = prompt[last];
  return {
    said: asked?.role === 'user' ? asked.content.map((part) => (part.type === 'text' ? part.text : '')).join('') : '',
    results: prompt
      .slice(last + 1)
      .flatMap((message) => (message.role === 'tool' ? message.content.flatMap(resultOf) : [])),
    tools: tools.flatMap((tool) =>
      tool.type === 'function' ? [{ name: tool.name, description: tool.description ?? '' }] : [],
    ),
  };
}

type ToolPart = Extract<ModelRequest['prompt'][number], { role: 'tool' }>['content'][number];

function resultOf(part: ToolPart): HeardResult[] {
  if (part.type !== 'tool-result') return [];
  const { output, toolName } = part;
  switch (output.type) {
    case 'text':
      return [{ tool: toolName, text: output.value, failed: false }];
    case 'error-text':
      return [{ tool: toolName, text: output.value, failed: true }];
    case 'execution-denied':
      return [{ tool: toolName, text: output.reason ?? 'it was denied', failed: true }];
    case 'json':
    case 'error-json':
    case 'content':
      return [{ tool: toolName, text: JSON.stringify(output.value), failed: output.type === 'error-json' }];
  }
}
