import type { SamplingAnswer, SamplingRequest } from '../core/calls/call-client.ts';
import type { CallResult, Progress } from '../core/calls/call.ts';
import type { PermissionMode } from '../core/calls/permission-mode.ts';
import type { JsonObject, JsonValue } from '../core/json/json.ts';
import type { ToolDefinition } from '../core/tools/tool.ts';
import type { ContentReader } from '../pipeline/box-content.ts';

/** Runs the turns of sessions. Every implementation passes `runtime.conformance.ts`. */
export interface Runtime {
  /** `claude`, `claude-cli` or `model`. */
  readonly name: string;
  /**
   * Runs one turn and yields its events in order. The last event is `done`. A failure of the model, the CLI or a tool does not throw; it is an
   * `error` event before `done`.
   */
  turn(turn: Turn): AsyncIterable<TurnEvent>;
  /**
   * Returns the conversation as the runtime stores it, which takes precedence over the events of the session. Resolves with `undefined` when
   * it does not exist. Absent where the runtime stores none.
   */
  transcript?(memory: JsonValue, cwd: string): Promise<readonly TranscriptMessage[] | undefined>;
  /** Sends one `sampling/createMessage` request to a model; absent where the runtime reaches no model directly. */
  sample?(request: SamplingRequest, options: SampleOptions): Promise<SamplingAnswer>;
  /** Releases all resources. */
  close(): Promise<void>;
}

/** Options of one sampling request. */
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
  /** Additional instructions about the application and its tools. */
  readonly instructions?: string;
  /** The `memory` of the previous turn; absent in the first turn. */
  readonly memory?: JsonValue;
  /** Continues from the memory without changing the original session. */
  readonly fork?: boolean;
  /** Interrupts the turn. */
  readonly signal: AbortSignal;
  readonly tools: TurnTools;
  /** Resources and prompts of the servers. */
  readonly serverContent: ContentReader;
  /** Asks the user. Resolves with the answers by question; `undefined` when nobody answers. */
  ask(toolCallId: string, questions: readonly Question[]): Promise<JsonObject | undefined>;
}

/** The tools of a turn. Every call goes through the pipeline. */
export interface TurnTools {
  /** Returns the current tools. Called before every step. */
  list(): readonly ToolDefinition[];
  /** Runs a mounted tool. */
  call(tool: string, args: unknown, options: TurnCallOptions): Promise<CallResult>;
  /**
   * Begins a call of a tool that the runtime runs itself (Read, Bash …): decided, approved, checkpointed and recorded like any other.
   * Resolves with the arguments to run it with, or with the reason why it may not run.
   */
  begin(tool: RuntimeTool, args: JsonObject, options: TurnCallOptions): Promise<RuntimeToolCall>;
}

/** Options of a call in a turn. */
export interface TurnCallOptions {
  /** The model's id of the call. */
  readonly toolCallId: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** A tool that the runtime runs itself. */
export interface RuntimeTool {
  /** The runtime's name of the tool, such as `Bash`. */
  readonly name: string;
  readonly effect: ToolDefinition['effect'];
  /** Whether rate rules ignore its calls, because each leads to another call that they count. */
  readonly uncounted?: boolean;
}

/** A begun call of a runtime's own tool. */
export type RuntimeToolCall =
  | { readonly allowed: true; readonly arguments: JsonObject; end(ended: RuntimeToolResult): Promise<CallResult> }
  | { readonly allowed: false; readonly reason: string };

/** The result of a tool that the runtime runs itself. */
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

/** An event of a turn. The session adds its sequence number, time and session id. */
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
      /** The id of the call in the journal; absent where no call was made. */
      readonly callId?: CallResult['callId'];
      /** The changes of the call in its workspace. */
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
  /** The value of `Turn.memory` for the next turn. */
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
        /** Absent where the runtime's own transcript does not have it. */
        readonly outcome?: CallResult['outcome'];
        readonly isError: boolean;
        readonly content: CallResult['content'];
        readonly durationMs?: number;
      };
    };
