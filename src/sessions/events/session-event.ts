import type { HiddenPart } from '../../core/calls/approval.ts';
import type { ElicitationAnswer } from '../../core/calls/call-client.ts';
import type { Decision } from '../../core/calls/decision.ts';
import type { JsonObject, JsonValue } from '../../core/json/json.ts';
import type { PermissionMode } from '../../core/calls/permission-mode.ts';
import type { Principal } from '../../core/principal.ts';
import type { Question, TurnEvent } from '../../runtimes/runtime.ts';

/** The reason why a turn ended. */
export type TurnReason = Extract<TurnEvent, { type: 'done' }>['reason'];

/** The state of a server, as shown to the user of an agent. */
export interface SessionServer {
  readonly name: string;
  /** `up`, `down`, `disabled`, `starting` or `needs-sign-in`. */
  readonly status: string;
  readonly tools: number;
  readonly error?: string;
}

/** A session event without its sequence number: an event of the runtime, or one that only the session knows. */
export type SessionEventBody =
  | Exclude<TurnEvent, { type: 'status' | 'memory' }>
  /** The turn of a message starts. */
  | { readonly type: 'user_message'; readonly turnId: string; readonly content: string; readonly by: string }
  | {
      readonly type: 'session_status';
      readonly model?: string;
      readonly permissionMode: PermissionMode;
      readonly servers: readonly SessionServer[];
      readonly costUsd?: number;
      readonly contextTokens?: number;
    }
  | {
      readonly type: 'approval_required';
      readonly toolCallId: string;
      readonly approvalId: string;
      readonly toolName: string;
      readonly input: JsonObject;
      /** The parts that `input` does not show. */
      readonly hidden?: readonly HiddenPart[];
      readonly reason: string;
      readonly rule: Decision['rule'];
      readonly expiresAt: string;
    }
  | {
      readonly type: 'approval_resolved';
      readonly toolCallId: string;
      readonly approvalId: string;
      /** `expired`: no answer arrived in time, or the answer is no longer needed. */
      readonly decision: 'approved' | 'denied' | 'expired';
      readonly by: Principal['id'];
      /** The reason why no answer is needed: the call was cancelled, or the turn or its process ended. */
      readonly reason?: string;
    }
  | { readonly type: 'question_prompt'; readonly toolCallId: string; readonly questions: readonly Question[] }
  | { readonly type: 'question_answered'; readonly toolCallId: string; readonly by: Principal['id'] }
  | ElicitationRequired
  | {
      readonly type: 'elicitation_resolved';
      readonly toolCallId: string;
      readonly elicitationId: string;
      readonly action: ElicitationAnswer['action'];
      readonly by: Principal['id'];
      /** The reason why the question was closed without an answer; absent when a person answered. */
      readonly reason?: string;
    }
  /** The result of a sampling request that a person has agreed to. */
  | {
      readonly type: 'sampling_result';
      readonly toolCallId: string;
      readonly server: string;
      readonly model: string;
      readonly content?: JsonValue;
      readonly error?: string;
    };

/** A server asks the user: a form, a page to open, or permission to ask a model. */
export type ElicitationRequired = {
  readonly type: 'elicitation_required';
  readonly toolCallId: string;
  readonly elicitationId: string;
  /** The server that asks. */
  readonly server: string;
  readonly message: string;
  readonly expiresAt: string;
} & (
  | { readonly mode: 'form'; readonly requestedSchema: JsonObject }
  | { readonly mode: 'url'; readonly url: string }
  | { readonly mode: 'sampling'; readonly model: string; readonly request: JsonObject }
);

/** One event of a session. `seq` counts from 1 without gaps. */
export type SessionEvent = SessionEventBody & {
  readonly seq: number;
  readonly sessionId: string;
  /** ISO 8601, UTC. */
  readonly at: string;
};
