import { hash } from 'node:crypto';

/** An approval as it is kept. */
export interface ApprovalRecord {
  readonly id: string;
  /** Hash of all it is bound to: principal, tool, definition, arguments and the rules that ask. */
  readonly binding: string;
  /** Hash of principal, tool and arguments alone. */
  readonly subject: string;
  readonly principal: string;
  readonly server: string;
  readonly requestedAt: number;
  readonly expiresAt: number;
  /** What was asked, as JSON text without secrets. */
  readonly asked: string;
  readonly answer: 'approved' | 'denied' | '';
  /** Who answered, when and how, as JSON text; empty before. */
  readonly given: string;
  /** It has had its effect: a call ran by it, or was told of the refusal. */
  readonly closed: boolean;
  /** The call that ran by it, or nothing. */
  readonly usedBy: string;
}

/** What an entry does to the approvals, in the same transaction. An entry whose change is refused is not written. */
export type ApprovalChange =
  /** Refused while an open approval has the same binding. */
  | { readonly kind: 'ask'; readonly record: ApprovalRecord }
  /** Refused when it has an answer or has expired. */
  | {
      readonly kind: 'answer';
      readonly id: string;
      readonly at: number;
      readonly answer: 'approved' | 'denied';
      readonly given: string;
      readonly rule?: StoredRule;
    }
  /** The call of the entry begins to run. Refused unless it is approved, unused and in time. */
  | { readonly kind: 'use'; readonly id: string; readonly at: number }
  /** The call of the entry was told how it was answered. Never refused. */
  | { readonly kind: 'tell'; readonly id: string }
  /** Refused when the rule is not there or was revoked before. The approval that made it is over too, if no call ran by it. */
  | { readonly kind: 'revoke'; readonly rule: string; readonly approval: string };

/** A remembered approval as it is kept; `text` is the whole as JSON. */
export interface StoredRule {
  readonly id: string;
  readonly principal: string;
  readonly server: string;
  readonly text: string;
}

/** Which approvals to find; all conditions must hold. Newest first. */
export interface ApprovalQuery {
  readonly limit: number;
  /** Only those that can still have an effect at this time. */
  readonly openAt?: number;
  /** Only those with one of these answers; `''` is none. */
  readonly answers?: readonly ApprovalRecord['answer'][];
  /** Only those that come after the approval with this id, in the order of the query. */
  readonly after?: string;
  readonly binding?: string;
  readonly subject?: string;
  readonly principal?: string;
  readonly server?: string;
}

/** How many approvals belong to calls of one principal. */
export interface PrincipalCount {
  readonly principal: string;
  readonly count: number;
}

/** The part of the Store port that keeps approvals; they change only together with an entry of the journal. */
export interface ApprovalStore {
  approval(id: string): Promise<ApprovalRecord | undefined>;
  approvals(query: ApprovalQuery): Promise<readonly ApprovalRecord[]>;
  /** How many fit, for each principal that has some. */
  countApprovals(query: Omit<ApprovalQuery, 'limit' | 'after'>): Promise<readonly PrincipalCount[]>;
  /** Remembered approvals that were not revoked, oldest first. */
  rules(query?: { readonly principal?: string; readonly server?: string }): Promise<readonly StoredRule[]>;
}

/** Approvals are found by a hash of their id: comparing the ids themselves would tell by its time how much of one is right. */
export function approvalDigest(id: string): string {
  return hash('sha256', id, 'hex');
}
