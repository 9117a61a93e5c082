import type { CallResult } from '../core/calls/call.ts';
import type { JsonObject } from '../core/json/json.ts';

/** One message of a transcript. */
export interface TranscriptMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly content: readonly TranscriptPart[];
}

/** A part of a message. A tool call carries its result once there is one. */
export type TranscriptPart =
  | { readonly type: 'text' | 'thinking'; readonly text: string }
  | {
      readonly type: 'tool_call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonObject;
      readonly result?: {
        /** Absent where the runtime's own transcript does not tell. */
        readonly outcome?: CallResult['outcome'];
        readonly isError: boolean;
        readonly content: CallResult['content'];
        readonly durationMs?: number;
      };
    };
