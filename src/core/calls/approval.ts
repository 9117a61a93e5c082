import type { Principal } from '../principal.ts';
import type { AskingRule, Decision } from './decision.ts';
import type { CallId } from '../identifiers.ts';
import type { JsonObject } from '../json/json.ts';
import type { Effect, ToolDefinition } from '../tools/tool.ts';

/** One exact call that needs a human's approval. */
export interface ApprovalRequest {
  /** The id to pass to `approvals.approve(approvalId, …)`. */
  readonly approvalId: string;
  readonly callId: CallId;
  readonly tool: ToolDefinition;
  /** The complete arguments of the tool, including values that the configuration fills in. May contain secrets. */
  readonly arguments: JsonObject;
  /** The arguments as the inbox shows them. */
  readonly shown: JsonObject;
  /** The parts of the arguments that `shown` does not contain. */
  readonly hidden: readonly HiddenPart[];
  readonly principal: Principal;
  readonly session: string | undefined;
  /** The reason why the call needs approval. */
  readonly decision: Decision;
  readonly expiresAt: Date;
  /** Returns the arguments with only registered secret values hidden, and records that this human has seen them. */
  reveal(by: Principal): Promise<RevealedArguments>;
  /** Signs of an attack in the definition of the tool. */
  readonly flags?: readonly string[];
  /** Aborted when the answer is no longer needed: another channel answered, the call was cancelled, or the approval expired. */
  readonly signal: AbortSignal;
}

/** A human's answer to one call. */
export type ApprovalAnswer =
  | {
      readonly allow: true;
      readonly by?: Principal;
      /** Replaces the arguments of the request. */
      readonly arguments?: JsonObject;
      readonly remember?: RememberScope | 'nothing';
      /** The human saw `shown`, not `arguments`, and approves without seeing the hidden parts. */
      readonly acknowledgeHidden?: boolean;
    }
  | { readonly allow: false; readonly by?: Principal; readonly reason?: string };

/** Asks a human on behalf of the host. Any result other than an explicit approval denies the call. */
export type Approve = (request: ApprovalRequest) => ApprovalAnswer | Promise<ApprovalAnswer>;

/** A connection to a human. All channels are asked at once, and the first answer wins. */
export interface ApprovalChannel {
  /** Recorded as the approver when the answer names none. */
  readonly name: string;
  /** Asks and returns the answer, or only notifies and returns nothing; the answer then arrives through `approvals`. A throw denies the call. */
  ask(request: ApprovalRequest): ApprovalAnswer | undefined | Promise<ApprovalAnswer | undefined>;
}

/** The scope of a remembered approval: the tool in this session, exactly these arguments, the tool, or its server. */
export type RememberScope = 'session' | 'arguments' | 'tool' | 'server';

/** `approved` can still be used; `used` was consumed by a call; `expired` was not answered, or not used, in time. */
export type ApprovalState = 'pending' | 'approved' | 'denied' | 'used' | 'expired';

/**
 * The reason why a part of the arguments is hidden. `registered` is a registered secret value. The others only resemble one and can be
 * revealed: `pattern` has the format of a token, `key` is the value of a key such as `password`, `size` is too long to store.
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
  /** The text at `start` that replaces the part. No other part of the question has it, unless it is empty. */
  readonly placeholder: string;
  /** The part is in the name of the property at `path`, not in its value. */
  readonly inName?: true;
}

/** The arguments of a call after a human revealed them: only registered secret values are hidden. */
export interface RevealedArguments {
  readonly arguments: JsonObject;
  readonly hidden: readonly HiddenPart[];
}

/** The question to a human, without secrets. */
export interface ApprovalQuestion {
  /** The call that asked first. */
  readonly callId: string;
  readonly tool: string;
  readonly server: string;
  readonly effect: Effect;
  readonly definitionHash: string;
  readonly principal: Principal;
  readonly session?: string;
  /** The arguments that the tool would receive. */
  readonly arguments: JsonObject;
  /** The parts that `arguments` does not show. */
  readonly hidden: readonly HiddenPart[];
  /** The original arguments of the caller, when they differ from those that the tool would receive. */
  readonly givenArguments?: JsonObject;
  readonly argumentsHash: string;
  readonly decision: Decision;
  /** Signs of an attack in the definition of the tool. */
  readonly flags?: readonly string[];
  /** The reason why an earlier approval of the same call no longer applies. */
  readonly note?: string;
}

/** The recorded answer to an approval. */
export interface ApprovalResolution {
  readonly by: Principal;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly reason?: string;
  /** The arguments as the human edited them. */
  readonly arguments?: JsonObject;
  /** The id of the rule that was created to remember the answer. */
  readonly rule?: string;
  /** The reason why the answer could not be remembered as requested. It applies to this one call only. */
  readonly notRemembered?: string;
  /** How the human acknowledged hidden parts other than registered secret values. Present when there were any. */
  readonly hiddenParts?: 'revealed' | 'acknowledged';
}

/** A request for a human's approval of one exact call, with the single-use answer once a human has given it. */
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
  /** The call that used the approval. */
  readonly usedBy?: string;
}

/** An approval that applies to more than one call: it turns `ask` into `allow`, and never changes `deny`. */
export interface RememberedRule {
  readonly id: string;
  readonly scope: RememberScope;
  /** The principal whose calls are allowed. */
  readonly principal: Principal;
  readonly server: string;
  /** Absent for a whole server. */
  readonly tool?: string;
  /** Absent for a whole server. A changed tool asks again. */
  readonly definitionHash?: string;
  readonly session?: string;
  readonly arguments?: JsonObject;
  readonly argumentsHash?: string;
  /** The policy rules whose questions the rule answers, by version. Other rules, and changed ones, still ask. */
  readonly answers: readonly Pick<AskingRule, 'rule' | 'version'>[];
  readonly by: Principal;
  readonly at: string;
  /** The approval that created the rule. */
  readonly approval: string;
}
