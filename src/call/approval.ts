import type { Principal } from '../model/call.ts';
import type { Decision } from '../model/decision.ts';
import type { CallId } from '../model/identifiers.ts';
import type { JsonObject } from '../model/json.ts';
import type { ToolDefinition } from '../model/tool.ts';

/** One exact call that a human is asked about. */
export interface ApprovalRequest {
  readonly callId: CallId;
  readonly tool: ToolDefinition;
  readonly arguments: JsonObject;
  readonly principal: Principal;
  readonly session: string | undefined;
  /** Why the call asks. */
  readonly decision: Decision;
  /** Aborted when the answer is not needed any more. */
  readonly signal: AbortSignal;
}

/** A human's answer to one call. */
export type ApprovalAnswer = { readonly allow: true } | { readonly allow: false; readonly reason?: string };

/** How the host asks a human. Anything but a clear yes counts as no. */
export type Approve = (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;
