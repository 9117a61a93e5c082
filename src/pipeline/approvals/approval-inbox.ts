import type {
  Approval,
  ApprovalChannel,
  RememberScope,
  RememberedRule,
  RevealedArguments,
} from '../../core/calls/approval.ts';
import type { JsonObject } from '../../core/json/json.ts';
import type { Principal } from '../../core/principal.ts';
import type { ApprovalPage, ApprovalPageQuery } from './approval-view.ts';
import type { RememberPreview } from './remembered.ts';

/** An approval by a human. */
export interface ApproveOptions {
  readonly by: Principal;
  /** Runs the tool with these arguments instead of the requested ones. */
  readonly arguments?: JsonObject;
  /** Also answers later calls. `nothing` overrides a default that would be remembered. */
  readonly remember?: RememberScope | 'nothing';
  /** Approves without seeing the hidden parts that are not registered secret values. Not needed after a reveal. */
  readonly acknowledgeHidden?: boolean;
}

/** A denial by a human. */
export interface DenyOptions {
  readonly by: Principal;
  readonly reason?: string;
}

/** The questions that wait for a human, and their answers. The first answer wins. */
export interface ApprovalInbox {
  /** Returns the approvals that can still be answered or used, newest first; with `all`, also the others. */
  list(options?: { readonly all?: boolean; readonly limit?: number }): Promise<readonly Approval[]>;
  /** Returns a page of the inbox, and every principal with pending questions, so that one with many does not hide the others. */
  page(query: ApprovalPageQuery): Promise<ApprovalPage>;
  /** Returns one approval. Rejects with `approval-unknown` when there is none with this id. */
  get(id: string): Promise<Approval>;
  /**
   * Returns the arguments of a pending question with only registered secret values hidden, and records the reveal. Only humans
   * can. Rejects with `reveal-unavailable` when the arguments are no longer stored.
   */
  reveal(id: string, options: { readonly by: Principal }): Promise<RevealedArguments>;
  /** Approves one exact call. Only humans can. */
  approve(id: string, options: ApproveOptions): Promise<Approval>;
  /** Denies one exact call. Only humans can. */
  deny(id: string, options: DenyOptions): Promise<Approval>;
  /** Returns the remembered approvals, oldest first. */
  rules(): Promise<readonly RememberedRule[]>;
  /** Ends a remembered approval: its calls need approval again, including the first one when it has not run. Only humans can. */
  revoke(rule: string, options: { readonly by: Principal }): Promise<void>;
  /** Returns the rule that remembering would create, and the recorded calls that it would have allowed. */
  preview(id: string, scope: RememberScope, by: Principal): Promise<RememberPreview>;
  /** Adds a channel to humans; returns a function that removes it. With a channel, calls that ask wait in the inbox. */
  attach(channel: ApprovalChannel): () => void;
}
