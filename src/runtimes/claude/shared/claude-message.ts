import type { JsonObject } from '../../../core/json/json.ts';

/**
 * A message of Claude Code during a turn, with the fields that are used here. Every field may be missing, because the version of Claude Code
 * may differ.
 */
export interface ClaudeMessage {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id?: string;
  /** The call of the subagent that sent the message. */
  readonly parent_tool_use_id?: string | null;
  readonly event?: StreamEvent;
  readonly message?: { readonly model?: string; readonly content?: unknown; readonly usage?: Usage };
  /** Of `init` messages. */
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly mcp_servers?: readonly ServerStatus[];
  /** Of `result` messages. */
  readonly is_error?: boolean;
  readonly result?: string;
  readonly errors?: readonly string[];
  readonly total_cost_usd?: number;
}

export interface StreamEvent {
  readonly type: string;
  readonly index?: number;
  readonly content_block?: ClaudeBlock;
  readonly delta?: {
    readonly type?: string;
    readonly text?: string;
    readonly thinking?: string;
    readonly partial_json?: string;
  };
}

/** A content block of a message. */
export interface ClaudeBlock {
  readonly type: string;
  readonly text?: string;
  /** Of `tool_use` blocks. */
  readonly id?: string;
  readonly name?: string;
  readonly input?: JsonObject;
  /** Of `tool_result` blocks. */
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
}

export interface Usage {
  readonly input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly output_tokens?: number;
}

export interface ServerStatus {
  readonly name: string;
  readonly status: string;
  readonly error?: string;
}

/** Returns the content blocks of a message. A string becomes one text block. */
export function blocksOf(content: unknown): readonly ClaudeBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter((block): block is ClaudeBlock => isBlock(block)) : [];
}

function isBlock(block: unknown): block is ClaudeBlock {
  return typeof block === 'object' && block !== null && typeof (block as { type?: unknown }).type === 'string';
}
