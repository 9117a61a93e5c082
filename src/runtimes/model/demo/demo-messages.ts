import type { JsonObject } from '../../../core/json/json.ts';
import type { StepRequest } from '../step.ts';
import type { ModelMessage, ToolModelMessage } from 'ai';

/** A result of a call that the demo model made. */
export interface DemoToolResult {
  readonly tool: string;
  readonly text: string;
  readonly failed: boolean;
}

/** What the demo model understands of a request. */
export interface DemoRequest {
  /** What the user said last. */
  readonly userText: string;
  /** What came back since then. */
  readonly results: readonly DemoToolResult[];
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

/** Reads a request: the last thing the user said, what came of it so far, and the tools at hand. */
export function readRequest({ messages, tools }: Pick<StepRequest, 'messages' | 'tools'>): DemoRequest {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return {
    userText: saidIn(messages[last]),
    results: messages
      .slice(last + 1)
      .flatMap((message) => (message.role === 'tool' ? message.content.flatMap(resultOf) : [])),
    tools,
  };
}

function saidIn(message: ModelMessage | undefined): string {
  if (message?.role !== 'user') return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function resultOf(part: ToolModelMessage['content'][number]): DemoToolResult[] {
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

/** What the demo model says, and the calls it wants made. */
export interface DemoAnswer {
  readonly text: string;
  readonly calls?: readonly DemoCall[];
}

/** A call that the demo model wants made. */
export interface DemoCall {
  readonly tool: string;
  readonly input: JsonObject;
}
