import { type ModelApi, type Send, pieces, startApi } from './api-server.ts';
import type { ScriptedInput, ModelBlock, ModelScript } from './model-script.ts';

/** A request to Gemini, with the fields that tests use. */
export interface GeminiRequest {
  readonly contents: readonly { readonly role: string; readonly parts: readonly GeminiPart[] }[];
  readonly tools?:
    | readonly { readonly functionDeclarations?: readonly { readonly name: string }[] }[]
    | { readonly functionDeclarations?: readonly { readonly name: string }[] };
}

interface GeminiPart {
  readonly text?: string;
  readonly functionResponse?: {
    readonly name: string;
    readonly response: { readonly error?: unknown; readonly content?: unknown };
  };
}

/** Starts a scripted server with Gemini's streaming API. */
export function startGeminiApi(script: ModelScript): Promise<ModelApi<GeminiRequest>> {
  return startApi((path) =>
    path.includes(':streamGenerateContent')
      ? {
          answer: (request) => script(toModelInput(request)),
          refusal: ({ status, message }) => ({ error: { code: status, message, status: 'INVALID_ARGUMENT' } }),
          stream,
        }
      : undefined,
  );
}

function stream(blocks: readonly ModelBlock[], send: Send): () => void {
  const chunk = (parts: readonly object[], rest: object = {}): void =>
    send({ candidates: [{ content: { role: 'model', parts }, index: 0, ...rest }] });
  for (const block of blocks) {
    if (block.type === 'text') for (const text of pieces(block.text)) chunk([{ text }]);
    if (block.type === 'thinking') chunk([{ text: block.text, thought: true }]);
    if (block.type === 'tool_use') chunk([{ functionCall: { name: block.name, args: block.input } }]);
  }
  return () =>
    send({
      candidates: [
        {
          content: { role: 'model', parts: [] },
          finishReason: blocks.at(-1)?.type === 'cut' ? 'MAX_TOKENS' : 'STOP',
          index: 0,
        },
      ],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    });
}

function toModelInput({ contents, tools = [] }: GeminiRequest): ScriptedInput {
  const texts = contents.map(({ role, parts }) => (role === 'user' ? parts.flatMap(({ text }) => text ?? []) : []));
  const since = contents.slice(texts.findLastIndex((userTexts) => userTexts.length > 0) + 1);
  const groups = Array.isArray(tools)
    ? (tools as readonly { functionDeclarations?: readonly { name: string }[] }[])
    : [tools];
  return {
    userMessages: texts.flat(),
    results: since.flatMap(({ parts }) =>
      parts.flatMap(({ functionResponse }) => {
        if (functionResponse === undefined) return [];
        const { error, content = functionResponse.response } = functionResponse.response;
        return [{ text: asText(error ?? content), failed: error !== undefined }];
      }),
    ),
    tools: groups
      .flatMap((group) => ('functionDeclarations' in group ? (group.functionDeclarations ?? []) : []))
      .map(({ name }) => name),
  };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
