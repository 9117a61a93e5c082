import type { Principal } from './principal.ts';
import type { AskingRule, Decision } from './decision.ts';
import type { CallId } from './identifiers.ts';
import type { JsonObject } from './json.ts';
import type { Effect, ToolDefinition } from './tool.ts';

/** One exact call that a human is asked about. */
export interface ApprovalRequest {
  /** What the answer is given to: `approvals.approve(approvalId, …)`. */
  readonly approvalId: string;
  readonly callId: CallId;
  readonly tool: ToolDefinition;
  /** What the tool would run with: what the caller gave, and what the configuration fills in. */
  readonly arguments: JsonObject;
  readonly principal: Principal;
  readonly session: string | undefined;
  /** Why the call asks. */
  readonly decision: Decision;
  readonly expiresAt: Date;
  /** Aborted when the answer is not needed any more: somebody else gave it, the call was cancelled, or it expired. */
  readonly signal: AbortSignal;
}

/** A human's answer to one call. */
export type ApprovalAnswer =
  | {
      readonly allow: true;
      readonly by?: Principal;
      /** Runs the tool with these in the place of the arguments that were asked about. */
      readonly arguments?: JsonObject;
      readonly remember?: RememberScope | 'nothing';
    }
  | { readonly allow: false; readonly by?: Principal; readonly reason?: string };

/** How the host asks a human. Anything but a clear yes counts as no. */
export type Approve = (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;

/** A way to reach a human. All of them are asked at once, and the first answer wins. */
export interface ApprovalChannel {
  /** Stands for whoever answered, where the answer does not say. */
  readonly name: string;
  /** Asks, or only tells and returns nothing: then the answer comes through `approvals`. A throw counts as no. */
  ask(request: ApprovalRequest): ApprovalAnswer | undefined | Promise<ApprovalAnswer | undefined>;
}

/** What an approval can be remembered for: the tool in this session, exactly these arguments, the tool, or its server. */
export type RememberScope = 'session' | 'arguments' | 'tool' | 'server';

/** `approved` can still be used, `used` has been; `expired` was not answered, or not used, in time. */
export type ApprovalState = 'pending' | 'approved' | 'denied' | 'used' | 'expired';

/** What was asked, without secrets. */
export interface AskedCall {
  /** The call that asked first. */
  readonly callId: string;
  readonly tool: string;
  readonly server: string;
  readonly effect: Effect;
  readonly definitionHash: string;
  readonly principal: Principal;
  readonly session?: string;
  /** What the tool would run with. */
  readonly arguments: JsonObject;
  /** The arguments as the caller gave them, where the tool would receive others. */
  readonly givenArguments?: JsonObject;
  readonly argumentsHash: string;
  readonly decision: Decision;
  /** An approval of the same call that does not hold any more, and why. */
  readonly note?: string;
}

/** How an approval was answered. */
export interface GivenAnswer {
  readonly by: Principal;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly reason?: string;
  /** The arguments in the human's version. */
  readonly arguments?: JsonObject;
  /** The rule that remembers it. */
  readonly rule?: string;
}

/** A human's single-use answer to one exact call, or the question while there is none. */
export interface Approval extends AskedCall {
  readonly id: string;
  readonly state: ApprovalState;
  readonly requestedAt: string;
  readonly expiresAt: string;
  readonly answer?: GivenAnswer;
  /** The call that ran by it. */
  readonly usedBy?: string;
}

/** An approval that holds for more than one call: it turns `ask` into `allow`, never `deny`. */
export interface RememberedRule {
  readonly id: string;
  readonly scope: RememberScope;
  /** Whose calls it lets through. */
  readonly principal: Principal;
  readonly server: string;
  /** Absent for a whole server. */
  readonly tool?: string;
  /** Absent for a whole server. A changed tool asks again. */
  readonly definitionHash?: string;
  readonly session?: string;
  readonly arguments?: JsonObject;
  readonly argumentsHash?: string;
  /** The rules of the policy whose questions it answers, as they were; questions of others, and of changed ones, are still asked. */
  readonly answers: readonly Pick<AskingRule, 'rule' | 'version'>[];
  readonly by: Principal;
  readonly at: string;
  /** The approval it was made with. */
  readonly approval: string;
}
