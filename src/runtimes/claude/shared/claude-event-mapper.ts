import { type ContentBlock, text } from '../../../core/tools/content.ts';
import { isJsonObject } from '../../../core/json/json.ts';
import type { TurnEvent } from '../../runtime.ts';
import { type ClaudeBlock, type ClaudeMessage, type StreamEvent, type Usage, blocksOf } from './claude-message.ts';
import type { ToolCallEvents } from './tool-call-events.ts';

/** How a turn ended, as Claude Code says it. */
export interface TurnResult {
  readonly reason: 'end' | 'limit' | 'error';
  readonly error?: { readonly code: string; readonly message: string };
}

/** Turns what Claude Code tells into the events of a turn. */
export class ClaudeEventMapper {
  readonly #tell: (event: TurnEvent) => void;
  readonly #calls: ToolCallEvents;
  readonly #interrupt: AbortSignal;
  /** The call that each block of the message under way is. */
  readonly #streaming = new Map<number, string>();
  #session: string | undefined;
  #usage: Usage | undefined;
  #model: string | undefined;

  constructor(tell: (event: TurnEvent) => void, calls: ToolCallEvents, interrupt: AbortSignal) {
    this.#tell = tell;
    this.#interrupt = interrupt;
    this.#calls = calls;
  }

  /** Takes one message; the last one of a turn gives its result. */
  handle(message: ClaudeMessage): TurnResult | undefined {
    // What another session is called is told before the turn begins: a fork has a name of its own only then.
    if (message.type === 'system' && message.subtype === 'init') this.#remember(message.session_id);
    const main = typeof message.parent_tool_use_id !== 'string';
    switch (message.type) {
      case 'stream_event':
        if (main && message.event !== undefined) this.#stream(message.event);
        return undefined;
      case 'assistant':
        this.#said(message, main);
        return undefined;
      case 'user':
        for (const block of blocksOf(message.message?.content)) this.#heard(block);
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
    this.#tell({ type: 'memory', memory: session });
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
        if (delta?.text !== undefined && delta.text !== '') this.#tell({ type: 'text_delta', text: delta.text });
        if (delta?.thinking !== undefined && delta.thinking !== '')
          this.#tell({ type: 'thinking_delta', text: delta.thinking });
        if (delta?.partial_json !== undefined) {
          const id = this.#streaming.get(index);
          if (id !== undefined) this.#calls.inputDelta(id, delta.partial_json);
        }
    }
  }

  /** A block that is complete: text was streamed before, calls are made now. */
  #said({ message }: ClaudeMessage, main: boolean): void {
    if (main) {
      this.#usage = message?.usage ?? this.#usage;
      // What Claude Code says in the model's place is no model's.
      if (message?.model !== undefined && !message.model.startsWith('<')) this.#model = message.model;
    }
    for (const { type, id, name, input } of blocksOf(message?.content))
      if (type === 'tool_use' && id !== undefined)
        this.#calls.inputComplete(id, name ?? '', isJsonObject(input) ? input : {});
  }

  /** A result as the model hears it; told here where nothing told it before. */
  #heard({ type, tool_use_id, content, is_error }: ClaudeBlock): void {
    if (type !== 'tool_result' || tool_use_id === undefined) return;
    this.#calls.end(tool_use_id, {
      outcome: is_error !== true ? 'completed' : this.#interrupt.aborted ? 'cancelled' : 'failed',
      content: blocksOf(content).map(contentBlock),
    });
  }

  #result(message: ClaudeMessage): TurnResult {
    this.#remember(message.session_id);
    const tokens = tokensOf(this.#usage);
    this.#tell({
      type: 'status',
      ...(this.#model === undefined ? {} : { model: this.#model }),
      ...(message.total_cost_usd === undefined ? {} : { costUsd: message.total_cost_usd }),
      ...(tokens === 0 ? {} : { contextTokens: tokens }),
    });
    if (message.subtype === 'error_max_turns' || message.subtype === 'error_max_budget_usd') {
      const what = message.subtype === 'error_max_turns' ? 'its most steps' : 'its most cost';
      return { reason: 'limit', error: { code: 'turn-limit', message: `the turn was ended: it reached ${what}` } };
    }
    if (message.is_error !== true && message.subtype === 'success') return { reason: 'end' };
    const why = message.result ?? message.errors?.join('; ') ?? message.subtype ?? 'it does not say why';
    return { reason: 'error', error: { code: 'model-failed', message: `Claude could not go on: ${why}` } };
  }
}

function tokensOf(usage: Usage = {}): number {
  const { input_tokens = 0, cache_creation_input_tokens = 0, cache_read_input_tokens = 0, output_tokens = 0 } = usage;
  return input_tokens + cache_creation_input_tokens + cache_read_input_tokens + output_tokens;
}

function contentBlock(block: ClaudeBlock): ContentBlock {
  return text(block.text ?? `[${block.type}]`);
}
