import type { Principal } from '../principal.ts';
import type { AskingRule, Decision } from './decision.ts';
import type { CallId } from '../identifiers.ts';
import type { JsonObject } from '../json/json.ts';
import type { Effect, ToolDefinition } from '../tools/tool.ts';

/** One exact call that a human is asked about. */
export interface ApprovalRequest {
  /** What the answer is given to: `approvals.approve(approvalId, …)`. */
  readonly approvalId: string;
  readonly callId: CallId;
  readonly tool: ToolDefinition;
  /** What the tool would run with: what the caller gave, and what the configuration fills in. Whole: it may contain secrets. */
  readonly arguments: JsonObject;
  /** The arguments as the inbox shows them. */
  readonly shown: JsonObject;
  /** The parts of the arguments that `shown` does not contain. */
  readonly hidden: readonly HiddenPart[];
  readonly principal: Principal;
  readonly session: string | undefined;
  /** Why the call asks. */
  readonly decision: Decision;
  readonly expiresAt: Date;
  /** Returns the arguments with only registered secret values hidden, and records that this human has seen them. */
  reveal(by: Principal): Promise<RevealedArguments>;
  /** Signs of an attack in the definition of the tool. */
  readonly flags?: readonly string[];
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
      /** The human saw `shown`, not `arguments`, and approves without seeing the hidden parts. */
      readonly acknowledgeHidden?: boolean;
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

/**
 * Why a part of the arguments is hidden: `registered` is a registered secret value; the others only resemble one and can be
 * revealed: `pattern` has the form of a token, `key` is the value of a key such as `password`, `size` is too long to store.
 */
export type HiddenKind = 'registered' | 'pattern' | 'key' | 'size';

/** A part of the arguments that is not shown. */
export interface HiddenPart {
  /** JSON Pointer (RFC 6901) to the shown value that contains the placeholder. */
  readonly path: string;
  /** Position of the placeholder in the shown string at `path`, in UTF-16 code units. */
  readonly start: number;
  /** Number of UTF-16 code units that are not shown. */
  readonly length: number;
  readonly kind: HiddenKind;
  /** The text at `start` that replaces the part. */
  readonly placeholder: string;
  /** The part is in the name of the property at `path`, not in its value. */
  readonly inName?: true;
}

/** The arguments of a call as a human sees them who revealed them: only registered secret values are hidden. */
export interface RevealedArguments {
  readonly arguments: JsonObject;
  readonly hidden: readonly HiddenPart[];
}

/** What was asked, without secrets. */
export interface ApprovalQuestion {
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
  /** The parts that `arguments` does not show. */
  readonly hidden: readonly HiddenPart[];
  /** The arguments as the caller gave them, where the tool would receive others. */
  readonly givenArguments?: JsonObject;
  readonly argumentsHash: string;
  readonly decision: Decision;
  /** Signs of an attack in the definition of the tool. */
  readonly flags?: readonly string[];
  /** An approval of the same call that does not hold any more, and why. */
  readonly note?: string;
}

/** How an approval was answered. */
export interface ApprovalResolution {
  readonly by: Principal;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly reason?: string;
  /** The arguments in the human's version. */
  readonly arguments?: JsonObject;
  /** The rule that remembers it. */
  readonly rule?: string;
  /** Why it could not be remembered as the human asked; it holds for this one call. */
  readonly notRemembered?: string;
  /** How the human took note of hidden parts that are not registered secret values. Present where there were some. */
  readonly hiddenParts?: 'revealed' | 'acknowledged';
}

/** A human's single-use answer to one exact call, or the question while there is none. */
export interface Approval extends ApprovalQuestion {
  readonly id: string;
  readonly state: ApprovalState;
  readonly requestedAt: string;
  readonly expiresAt: string;
  /**
   * Whether a call waits for the answer. When it is `gone`, approving runs nothing now: the approval is used if the same caller
   * makes exactly the same call before `expiresAt`. Present while the approval is pending or approved.
   */
  readonly caller?: 'waiting' | 'gone';
  readonly answer?: ApprovalResolution;
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
