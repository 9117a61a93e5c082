import type { JsonObject } from '../../../core/json/json.ts';
import type { StepRequest } from '../step.ts';
import type { ModelMessage, ToolModelMessage } from 'ai';

/** A result of a call that the demo model made. */
export interface DemoToolResult {
  readonly tool: string;
  readonly text: string;
  readonly failed: boolean;
}

/** The parts of a request that the demo model uses. */
export interface DemoRequest {
  /** The last user message. */
  readonly userText: string;
  /** The tool results since then. */
  readonly results: readonly DemoToolResult[];
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

/** Parses a request: the last user message, the results since then, and the tools. */
export function readRequest({ messages, tools }: Pick<StepRequest, 'messages' | 'tools'>): DemoRequest {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return {
    userText: textOf(messages[last]),
    results: messages
      .slice(last + 1)
      .flatMap((message) => (message.role === 'tool' ? message.content.flatMap(resultOf) : [])),
    tools,
  };
}

function textOf(message: ModelMessage | undefined): string {
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

/** An answer of the demo model. */
export interface DemoAnswer {
  readonly text: string;
  readonly calls?: readonly DemoCall[];
}

/** A call that the demo model requests. */
export interface DemoCall {
  readonly tool: string;
  readonly input: JsonObject;
}
