import { type ApiDialect, type ModelApi, type Send, pieces, startApi } from './api-server.ts';
import type { ScriptedInput, ModelToolResult, ModelBlock, ModelRefusal, ModelScript } from './model-script.ts';

/** A request to either API, with the fields that tests use. */
export interface OpenAIRequest {
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[];
  readonly input?: readonly {
    readonly role?: string;
    readonly type?: string;
    readonly content?: unknown;
    readonly output?: unknown;
  }[];
  readonly tools?: readonly OpenAITool[];
  readonly store?: boolean;
}

export interface OpenAITool {
  readonly name?: string;
  readonly strict?: boolean;
  /** The tools of a namespace, by which Codex groups those of an MCP server. */
  readonly tools?: readonly { readonly name: string }[];
  readonly function?: { readonly name: string; readonly strict?: boolean; readonly parameters?: unknown };
}

/** Starts a scripted server with OpenAI's streaming Chat Completions and Responses APIs. */
export function startOpenAIApi(script: ModelScript): Promise<ModelApi<OpenAIRequest>> {
  const chat: ApiDialect<OpenAIRequest> = {
    answer: (request) => script(fromChat(request)),
    refusal,
    stream: streamChat,
  };
  const responses: ApiDialect<OpenAIRequest> = {
    answer: (request) => script(fromResponses(request)),
    refusal,
    stream: streamResponse,
  };
  return startApi((path) =>
    path.endsWith('/chat/completions') ? chat : path.endsWith('/responses') ? responses : undefined,
  );
}

function refusal({ message }: ModelRefusal): object {
  return { error: { message, type: 'invalid_request_error', code: null, param: null } };
}

const tokens = { prompt: 10, answer: 5 };

function streamChat(blocks: readonly ModelBlock[], send: Send, index: number): () => void {
  const chunk = (delta: object, rest: object = {}): void =>
    send({
      id: `chat_${index}`,
      object: 'chat.completion.chunk',
      created: 1,
      model: 'scripted',
      choices: [{ index: 0, delta, finish_reason: null, ...rest }],
    });
  let calls = 0;
  for (const block of blocks) {
    if (block.type === 'text') for (const content of pieces(block.text)) chunk({ role: 'assistant', content });
    if (block.type === 'thinking') chunk({ role: 'assistant', reasoning_content: block.text });
    if (block.type !== 'tool_use') continue;
    const id = `call_${index}_${calls}`;
    chunk({ tool_calls: [{ index: calls, id, type: 'function', function: { name: block.name, arguments: '' } }] });
    for (const piece of pieces(block.raw ?? JSON.stringify(block.input)))
      chunk({ tool_calls: [{ index: calls, function: { arguments: piece } }] });
    calls += 1;
  }
  return () => {
    const cut = blocks.at(-1)?.type === 'cut';
    chunk({}, { finish_reason: cut ? 'length' : calls > 0 ? 'tool_calls' : 'stop' });
    const usage = { prompt_tokens: tokens.prompt, completion_tokens: tokens.answer, total_tokens: 15, cost: 0.25 };
    send({ id: `chat_${index}`, object: 'chat.completion.chunk', created: 1, model: 'scripted', choices: [], usage });
    send('[DONE]');
  };
}

function streamResponse(blocks: readonly ModelBlock[], send: Send, index: number): () => void {
  const event = (type: string, data: object): void => send({ type, ...data }, type);
  event('response.created', {
    response: { id: `resp_${index}`, created_at: 1, model: 'scripted', object: 'response' },
  });
  for (const [position, block] of blocks.entries()) streamItem(block, `${index}_${position}`, position, event);
  return () => {
    const usage = { input_tokens: tokens.prompt, output_tokens: tokens.answer, total_tokens: 15 };
    const cut = blocks.at(-1)?.type === 'cut';
    const incomplete_details = cut ? { reason: 'max_output_tokens' } : null;
    event(cut ? 'response.incomplete' : 'response.completed', {
      response: { id: `resp_${index}`, usage, incomplete_details },
    });
  };
}

function streamItem(
  block: ModelBlock,
  suffix: string,
  position: number,
  event: (type: string, data: object) => void,
): void {
  const item = (type: 'added' | 'done', value: object): void =>
    event(`response.output_item.${type}`, { output_index: position, item: value });
  if (block.type === 'text') {
    const id = `msg_${suffix}`;
    item('added', { type: 'message', id, status: 'in_progress', role: 'assistant', content: [] });
    for (const delta of pieces(block.text))
      event('response.output_text.delta', { item_id: id, output_index: position, content_index: 0, delta });
    item('done', { type: 'message', id, status: 'completed', role: 'assistant', content: [] });
  } else if (block.type === 'thinking') {
    const id = `rs_${suffix}`;
    item('added', { type: 'reasoning', id, summary: [], encrypted_content: null });
    event('response.reasoning_summary_part.added', { item_id: id, summary_index: 0 });
    event('response.reasoning_summary_text.delta', { item_id: id, summary_index: 0, delta: block.text });
    item('done', { type: 'reasoning', id, summary: [], encrypted_content: 'sealed' });
  } else if (block.type === 'tool_use') {
    const [name = '', namespace] = block.name.split('/').toReversed();
    const call = {
      type: 'function_call',
      id: `fc_${suffix}`,
      call_id: `call_${suffix}`,
      name,
      ...(namespace === undefined ? {} : { namespace }),
    };
    const text = block.raw ?? JSON.stringify(block.input);
    item('added', { ...call, arguments: '', status: 'in_progress' });
    for (const delta of pieces(text))
      event('response.function_call_arguments.delta', { item_id: call.id, output_index: position, delta });
    item('done', { ...call, arguments: text, status: 'completed' });
  }
}

function fromChat({ messages = [], tools = [] }: OpenAIRequest): ScriptedInput {
  return {
    userMessages: messages.flatMap(({ role, content }) => (role === 'user' ? [textOf(content)] : [])),
    results: sinceUser(messages).flatMap(({ role, content }) => (role === 'tool' ? [resultOf(content)] : [])),
    tools: tools.map((tool) => tool.function?.name ?? ''),
  };
}

function fromResponses({ input = [], tools = [] }: OpenAIRequest): ScriptedInput {
  return {
    userMessages: input.flatMap(({ role, content }) => (role === 'user' ? [textOf(content)] : [])),
    results: sinceUser(input).flatMap(({ type, output }) =>
      type === 'function_call_output' ? [resultOf(output)] : [],
    ),
    tools: tools.flatMap(({ name = '', tools: grouped }) => grouped?.map((tool) => `${name}/${tool.name}`) ?? [name]),
  };
}

function sinceUser<Message extends { readonly role?: string }>(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1);
}

function resultOf(content: unknown): ModelToolResult {
  const text = textOf(content);
  return { text, failed: text.startsWith('{"error":') };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return JSON.stringify(content);
  return (content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('');
}
