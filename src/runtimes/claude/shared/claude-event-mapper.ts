import { type ContentBlock, text } from '../../../core/tools/content.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import type { TurnEvent } from '../../runtime.ts';
import { type ClaudeBlock, type ClaudeMessage, type StreamEvent, type Usage, blocksOf } from './claude-message.ts';
import type { ToolCallEvents } from './tool-call-events.ts';

/** The result of a turn. */
export interface TurnResult {
  readonly reason: Extract<TurnEvent, { type: 'done' }>['reason'];
  readonly error?: { readonly code: string; readonly message: string };
}

/** Maps the messages of Claude Code to the events of a turn. */
export class ClaudeEventMapper {
  readonly #emit: (event: TurnEvent) => void;
  readonly #calls: ToolCallEvents;
  readonly #interrupt: AbortSignal;
  /** The call id of each content block of the current message. */
  readonly #streaming = new Map<number, string>();
  #session: string | undefined;
  #usage: Usage | undefined;
  #model: string | undefined;

  constructor(emit: (event: TurnEvent) => void, calls: ToolCallEvents, interrupt: AbortSignal) {
    this.#emit = emit;
    this.#interrupt = interrupt;
    this.#calls = calls;
  }

  /** Handles one message. Returns the result of the turn for the last one. */
  handle(message: ClaudeMessage): TurnResult | undefined {
    // Earlier messages carry the id of the original session; a fork gets its own id with `init`.
    if (message.type === 'system' && message.subtype === 'init') this.#remember(message.session_id);
    const main = typeof message.parent_tool_use_id !== 'string';
    switch (message.type) {
      case 'stream_event':
        if (main && message.event !== undefined) this.#stream(message.event);
        return undefined;
      case 'assistant':
        this.#handleAssistant(message, main);
        return undefined;
      case 'user':
        for (const block of blocksOf(message.message?.content)) this.#handleResult(block);
        return undefined;
      case 'result':
        return this.#result(message);
      default:
        return undefined;
    }
  }

  #remember(session: string | undefined): void {
    if (session === undefined || session === this.#session) return;
    this.#session = session;
    this.#emit({ type: 'memory', memory: session });
  }

  #stream({ type, index = 0, content_block, delta }: StreamEvent): void {
    switch (type) {
      case 'message_start':
        this.#streaming.clear();
        break;
      case 'content_block_start':
        if (content_block?.type !== 'tool_use' || content_block.id === undefined) break;
        this.#streaming.set(index, content_block.id);
        this.#calls.start(content_block.id, content_block.name ?? '');
        break;
      case 'content_block_delta':
        if (delta?.text !== undefined && delta.text !== '') this.#emit({ type: 'text_delta', text: delta.text });
        if (delta?.thinking !== undefined && delta.thinking !== '')
          this.#emit({ type: 'thinking_delta', text: delta.thinking });
        if (delta?.partial_json !== undefined) {
          const id = this.#streaming.get(index);
          if (id !== undefined) this.#calls.inputDelta(id, delta.partial_json);
        }
    }
  }

  /** Handles a complete message of the model. Its text was streamed before. */
  #handleAssistant({ message }: ClaudeMessage, main: boolean): void {
    if (main) {
      this.#usage = message?.usage ?? this.#usage;
      // Claude Code marks its own messages with a name such as `<synthetic>`.
      if (message?.model !== undefined && !message.model.startsWith('<')) this.#model = message.model;
    }
    for (const { type, id, name, input } of blocksOf(message?.content))
      if (type === 'tool_use' && id !== undefined)
        this.#calls.inputComplete(id, name ?? '', isJsonObject(input) ? input : {});
  }

  /** Handles the result of a call. Ignored if the call has already ended. */
  #handleResult({ type, tool_use_id, content, is_error }: ClaudeBlock): void {
    if (type !== 'tool_result' || tool_use_id === undefined) return;
    this.#calls.end(tool_use_id, {
      outcome: is_error !== true ? 'completed' : this.#interrupt.aborted ? 'cancelled' : 'failed',
      content: blocksOf(content).map(contentBlock),
    });
  }

  #result(message: ClaudeMessage): TurnResult {
    this.#remember(message.session_id);
    const tokens = tokensOf(this.#usage);
    const known = { model: this.#model, costUsd: message.total_cost_usd, contextTokens: tokens || undefined };
    this.#emit({ type: 'status', ...omitUndefined(known) });
    if (message.subtype === 'error_max_turns' || message.subtype === 'error_max_budget_usd') {
      const what = message.subtype === 'error_max_turns' ? 'its maximum number of steps' : 'its maximum cost';
      return { reason: 'limit', error: { code: 'turn-limit', message: `the turn was ended: it reached ${what}` } };
    }
    if (message.is_error !== true && message.subtype === 'success') return { reason: 'end' };
    const why = message.result ?? message.errors?.join('; ') ?? message.subtype ?? 'no reason was given';
    return { reason: 'error', error: { code: 'model-failed', message: `Claude failed: ${why}` } };
  }
}

function tokensOf(usage: Usage = {}): number {
  const { input_tokens = 0, cache_creation_input_tokens = 0, cache_read_input_tokens = 0, output_tokens = 0 } = usage;
  return input_tokens + cache_creation_input_tokens + cache_read_input_tokens + output_tokens;
}

function contentBlock(block: ClaudeBlock): ContentBlock {
  return text(block.text ?? `[${block.type}]`);
}
