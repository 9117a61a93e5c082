import type { JsonObject } from '../../../core/json/json.ts';

/**
 * What Claude Code tells on its way through a turn, as far as it is read here. It comes from another program, of another version
 * perhaps: all of it may be missing.
 */
export interface ClaudeMessage {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id?: string;
  /** The call within which a subagent says this. */
  readonly parent_tool_use_id?: string | null;
  readonly event?: StreamEvent;
  readonly message?: { readonly model?: string; readonly content?: unknown; readonly usage?: Usage };
  /** Of the beginning. */
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly mcp_servers?: readonly ServerStatus[];
  /** Of the end. */
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

/** A block of what a model said or was told. */
export interface ClaudeBlock {
  readonly type: string;
  readonly text?: string;
  /** Of a call. */
  readonly id?: string;
  readonly name?: string;
  readonly input?: JsonObject;
  /** Of its result. */
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

/** The blocks of a message; a text stands for one block. */
export function blocksOf(content: unknown): readonly ClaudeBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter((block): block is ClaudeBlock => isBlock(block)) : [];
}

function isBlock(block: unknown): block is ClaudeBlock {
  return typeof block === 'object' && block !== null && typeof (block as { type?: unknown }).type === 'string';
}
