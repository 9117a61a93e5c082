import type { SamplingAnswer, SamplingRequest } from '../core/calls/call-client.ts';
import type { CallResult, Progress } from '../core/calls/call.ts';
import type { PermissionMode } from '../core/calls/permission-mode.ts';
import type { JsonObject, JsonValue } from '../core/json/json.ts';
import type { ToolDefinition } from '../core/tools/tool.ts';
import type { ContentReader } from '../pipeline/box-content.ts';

/** What drives a turn. Every driver passes `runtime.conformance.ts`. */
export interface Runtime {
  /** `claude`, `claude-cli` or `model`. */
  readonly name: string;
  /**
   * Runs one turn and tells what happens, in order. The last event is `done`. Never throws for what the model, the CLI or a
   * tool does: that is an `error` event before `done`.
   */
  turn(turn: Turn): AsyncIterable<TurnEvent>;
  /**
   * The conversation as the runtime itself keeps it, where it does: then that is the truth, and not what the session recorded.
   * `undefined` when it is not there (any more).
   */
  transcript?(memory: JsonValue, cwd: string): Promise<readonly TranscriptMessage[] | undefined>;
  /** Sends one `sampling/createMessage` request to a model; absent where the runtime reaches no model directly. */
  sample?(request: SamplingRequest, options: SampleOptions): Promise<SamplingAnswer>;
  /** Ends whatever it keeps between turns. */
  close(): Promise<void>;
}

export interface SampleOptions {
  readonly model: string;
  readonly signal: AbortSignal;
}

/** One user message, and what the agent may use to answer it. */
export interface Turn {
  /** The session's id at Signalbox. */
  readonly session: string;
  readonly content: string;
  readonly cwd: string;
  readonly model?: string;
  readonly permissionMode: PermissionMode;
  /** What the agent should know about the application and its tools, besides its own instructions. */
  readonly instructions?: string;
  /** What the runtime asked to be remembered from the turn before; absent in the first turn. */
  readonly memory?: JsonValue;
  /** Goes on from the memory without changing the session it came from. */
  readonly fork?: boolean;
  /** Interrupts the turn. */
  readonly signal: AbortSignal;
  readonly tools: TurnTools;
  /** Resources and prompts of the servers. */
  readonly serverContent: ContentReader;
  /** Asks the user; resolves with the answers by question, or `undefined` when nobody answers. */
  ask(toolCallId: string, questions: readonly Question[]): Promise<JsonObject | undefined>;
}

/** The tools of a turn. Every call goes through the pipeline, whoever runs it. */
export interface TurnTools {
  /** The tools as they are now; looked at again before every step. */
  list(): readonly ToolDefinition[];
  /** Runs a mounted tool. */
  call(tool: string, args: unknown, options: TurnCallOptions): Promise<CallResult>;
  /**
   * Takes a call of a tool that the runtime runs itself (Read, Bash …) through the pipeline: decided, asked for, checkpointed,
   * recorded. Resolves when it may run, with the arguments to run with, or when it may not, with the reason.
   */
  begin(tool: RuntimeTool, args: JsonObject, options: TurnCallOptions): Promise<BegunCall>;
}

export interface TurnCallOptions {
  /** The model's id of the call. */
  readonly toolCallId: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** A tool that the runtime brings along. */
export interface RuntimeTool {
  /** As the runtime calls it: `Bash`. */
  readonly name: string;
  readonly effect: ToolDefinition['effect'];
  /** Whether rules do not count its calls, because each leads to another call that they count. */
  readonly uncounted?: boolean;
}

/** A call that the runtime runs itself, once it is allowed. */
export type BegunCall =
  | { readonly allowed: true; readonly arguments: JsonObject; end(ended: RuntimeToolResult): Promise<CallResult> }
  | { readonly allowed: false; readonly reason: string };

export type RuntimeToolResult =
  | { readonly outcome: 'completed'; readonly output: string }
  | { readonly outcome: 'failed' | 'cancelled'; readonly output: string };

/** A question to the user with its choices. */
export interface Question {
  readonly question: string;
  readonly header?: string;
  readonly options: readonly { readonly label: string; readonly description?: string }[];
  readonly multiSelect?: boolean;
}

/** What happens in a turn. The session gives each event its place, its time and its session. */
export type TurnEvent =
  | { readonly type: 'text_delta' | 'thinking_delta'; readonly text: string }
  | {
      readonly type: 'tool_call_start';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly server: string;
      readonly tool: string;
    }
  | { readonly type: 'tool_call_delta'; readonly toolCallId: string; readonly inputJson: string }
  | { readonly type: 'tool_call_end'; readonly toolCallId: string; readonly input: JsonObject }
  | { readonly type: 'tool_progress'; readonly toolCallId: string; readonly progress: Progress }
  | {
      readonly type: 'tool_result';
      readonly toolCallId: string;
      readonly outcome: CallResult['outcome'];
      readonly content: CallResult['content'];
      readonly durationMs: number;
      /** The call as the journal has it; absent where none was made. */
      readonly callId?: CallResult['callId'];
      /** What the call changed in its workspace. */
      readonly changes?: NonNullable<CallResult['changes']>;
    }
  | {
      readonly type: 'status';
      readonly model?: string;
      readonly costUsd?: number;
      readonly contextTokens?: number;
      readonly servers?: readonly {
        readonly name: string;
        readonly status: string;
        readonly tools?: number;
        readonly error?: string;
      }[];
    }
  /** What the runtime wants back as `Turn.memory` next time. */
  | { readonly type: 'memory'; readonly memory: JsonValue }
  | { readonly type: 'error'; readonly code: string; readonly message: string }
  | { readonly type: 'done'; readonly reason: 'end' | 'interrupted' | 'error' | 'limit' };

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
