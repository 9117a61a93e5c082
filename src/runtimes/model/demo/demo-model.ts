import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { answer } from './answer.ts';
import { type DemoLanguageModel, type ModelRequest, hear } from './heard.ts';
import type { Answer } from './said.ts';

type Streamed = Awaited<ReturnType<DemoLanguageModel['doStream']>>['stream'];
type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never;
type Generated = Awaited<ReturnType<DemoLanguageModel['doGenerate']>>;

/**
 * A language model without key and network, for first steps and for tests. It answers in small pieces, `delayMs` (8) apart, as
 * real models do.
 */
export function demoModel({ delayMs = 8 }: { readonly delayMs?: number } = {}): DemoLanguageModel {
  return {
    specificationVersion: 'v4',
    provider: 'demo',
    modelId: 'demo',
    supportedUrls: {},
    doGenerate: (request) => Promise.resolve(generated(request)),
    doStream: (request) => Promise.resolve({ stream: ReadableStream.from(streamed(request, delayMs)) }),
  };
}

async function* streamed(request: ModelRequest, delayMs: number): AsyncGenerator<StreamPart> {
  const { text, calls = [] } = answer(hear(request));
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'text-start', id: 'text' };
  for (const delta of pieces(text)) {
    yield { type: 'text-delta', id: 'text', delta };
    await pause(delayMs, undefined, { signal: request.abortSignal });
  }
  yield { type: 'text-end', id: 'text' };
  for (const { tool: toolName, input } of calls) {
    const id = callId();
    const json = JSON.stringify(input);
    yield { type: 'tool-input-start', id, toolName };
    for (const delta of pieces(json)) yield { type: 'tool-input-delta', id, delta };
    yield { type: 'tool-input-end', id };
    yield { type: 'tool-call', toolCallId: id, toolName, input: json };
  }
  yield { type: 'finish', ...ending(request, { text, calls }) };
}

function generated(request: ModelRequest): Generated {
  const { text, calls = [] } = answer(hear(request));
  return {
    content: [
      { type: 'text', text },
      ...calls.map(({ tool: toolName, input }) => ({
        type: 'tool-call' as const,
        toolCallId: callId(),
        toolName,
        input: JSON.stringify(input),
      })),
    ],
    warnings: [],
    ...ending(request, { text, calls }),
  };
}

function ending({ prompt }: ModelRequest, { text, calls = [] }: Answer): Pick<Generated, 'finishReason' | 'usage'> {
  const unified = calls.length === 0 ? 'stop' : 'tool-calls';
  return {
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: tokens(prompt), noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: tokens([text, calls]), text: undefined, reasoning: undefined },
    },
  };
}

/** About as many as a real model would count. */
function tokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}

function callId(): string {
  return `demo_${randomUUID()}`;
}

/** Words with the space before them. */
function pieces(text: string): readonly string[] {
  return text.match(/\s*\S+|\s+/g) ?? [];
}
