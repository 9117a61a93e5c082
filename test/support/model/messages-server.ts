import { type ApiDialect, type ModelApi, type Send, pieces, startApi } from './api-server.ts';
import type { ScriptedInput, ModelToolResult, ModelBlock } from './model-script.ts';

/** A request to the Messages API. */
export interface MessagesRequest {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
}

/** A scripted server with the streaming Messages API. */
export type MessagesServer = ModelApi<MessagesRequest>;

/** Starts a scripted Messages API on a free local port. */
export function startMessagesServer(script: ApiDialect<MessagesRequest>['answer']): Promise<MessagesServer> {
  return startApi((path) =>
    path.startsWith('/v1/messages')
      ? {
          answer: script,
          refusal: ({ message }) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
          stream,
        }
      : undefined,
  );
}

function stream(blocks: readonly ModelBlock[], send: Send, index: number): () => void {
  const event = (type: string, data: object): void => send({ type, ...data }, type);
  const usage = { input_tokens: 10, output_tokens: 5 };
  const message = { id: `msg_${index}`, type: 'message', role: 'assistant', model: 'scripted', content: [] };
  event('message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } });
  for (const [position, block] of blocks.entries()) streamBlock(block, position, `toolu_${index}_${position}`, event);
  return () => {
    const tools = blocks.some(({ type }) => type === 'tool_use');
    const stop = blocks.at(-1)?.type === 'cut' ? 'max_tokens' : tools ? 'tool_use' : 'end_turn';
    event('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage });
    event('message_stop', {});
  };
}

function streamBlock(block: ModelBlock, index: number, id: string, event: (type: string, data: object) => void): void {
  const delta = (value: object): void => event('content_block_delta', { index, delta: value });
  switch (block.type) {
    case 'text':
      event('content_block_start', { index, content_block: { type: 'text', text: '' } });
      for (const text of pieces(block.text)) delta({ type: 'text_delta', text });
      break;
    case 'thinking':
      event('content_block_start', { index, content_block: { type: 'thinking', thinking: '', signature: '' } });
      delta({ type: 'thinking_delta', thinking: block.text });
      delta({ type: 'signature_delta', signature: 'scripted' });
      break;
    case 'tool_use':
      event('content_block_start', { index, content_block: { type: 'tool_use', id, name: block.name, input: {} } });
      for (const partial_json of pieces(block.raw ?? JSON.stringify(block.input)))
        delta({ type: 'input_json_delta', partial_json });
      break;
    case 'wait':
    case 'drop':
    case 'truncate':
    case 'cut':
      return;
  }
  event('content_block_stop', { index });
}

interface MessageBlock {
  readonly type: string;
  /** The id of a call. */
  readonly id?: string;
  /** The id of the call that a result belongs to. */
  readonly tool_use_id?: string;
  readonly text?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
}

/**
 * Returns the input of the model in a request of the Messages API. User text may follow results in the same message.
 * Results are in the order of their calls: a client sends those of parallel calls in the order in which they completed.
 */
export function toModelInput({ messages, tools = [] }: MessagesRequest): ScriptedInput {
  const blocks = messages.flatMap(({ role, content }) => (role === 'user' ? blocksOf(content) : []));
  const since = blocks.findLastIndex((block) => isUserText(block)) + 1;
  const calls = messages.flatMap(({ role, content }) => (role === 'assistant' ? blocksOf(content) : []));
  const positions = new Map(calls.map(({ id }, position) => [id, position]));
  const positionOf = ({ tool_use_id }: MessageBlock): number => positions.get(tool_use_id) ?? -1;
  return {
    userMessages: blocks.filter(isUserText).map(({ text = '' }) => text),
    results: blocks
      .slice(since)
      .filter(({ type }) => type === 'tool_result')
      .toSorted((a, b) => positionOf(a) - positionOf(b))
      .map(toResult),
    tools: tools.map(({ name }) => name),
  };
}

/** Excludes the reminders and remarks that Claude's CLI adds. */
function isUserText({ type, text = '' }: MessageBlock): boolean {
  return type === 'text' && !/^\s*(<system-reminder>|\[Request interrupted)/.test(text);
}

function toResult({ content, is_error }: MessageBlock): ModelToolResult {
  const text = blocksOf(content).map((block) => block.text ?? '');
  return { text: text.join(''), failed: is_error === true };
}

function blocksOf(content: unknown): readonly MessageBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? (content as readonly MessageBlock[]) : [];
}

/** Returns the base64 data of every picture in a request. */
export function imagesIn(request: MessagesRequest): string[] {
  const found: string[] = [];
  JSON.stringify(request, (_, value: unknown) => {
    const { type, source } = (value ?? {}) as { type?: unknown; source?: { data?: unknown } };
    if (type === 'image' && typeof source?.data === 'string') found.push(source.data);
    return value;
  });
  return found;
}
