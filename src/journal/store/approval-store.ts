import { hash } from 'node:crypto';

/** The stored form of an approval. */
export interface ApprovalRecord {
  readonly id: string;
  /** Hash of principal, tool, definition, arguments and the rules that ask. */
  readonly binding: string;
  /** Hash of principal, tool and arguments alone. */
  readonly subject: string;
  readonly principal: string;
  readonly server: string;
  readonly requestedAt: number;
  readonly expiresAt: number;
  /** The question as JSON text without secrets. */
  readonly asked: string;
  readonly answer: 'approved' | 'denied' | '';
  /** The answer with approver and time as JSON text; empty while the approval is pending. */
  readonly given: string;
  /** Whether the approval took effect: a call used it, or received the denial. */
  readonly closed: boolean;
  /** The call that used it, or an empty string. */
  readonly usedBy: string;
}

/** A change to an approval in the same transaction as an entry. If the change is rejected, the entry is not written. */
export type ApprovalChange =
  /** Rejected while an open approval has the same binding. */
  | { readonly kind: 'ask'; readonly record: ApprovalRecord }
  /** Rejected when the approval was answered or has expired. */
  | {
      readonly kind: 'answer';
      readonly id: string;
      readonly at: number;
      readonly answer: 'approved' | 'denied';
      readonly given: string;
      readonly rule?: StoredRule;
    }
  /** The call of the entry starts. Rejected unless the approval is approved, unused and not expired. */
  | { readonly kind: 'use'; readonly id: string; readonly at: number }
  /** The call of the entry received the answer. Never rejected. */
  | { readonly kind: 'close'; readonly id: string }
  /** Rejected when the rule does not exist or is revoked. Also closes the approval that created it, if no call used it. */
  | { readonly kind: 'revoke'; readonly rule: string; readonly approval: string };

/** The stored form of a remembered approval; `text` is the complete rule as JSON. */
export interface StoredRule {
  readonly id: string;
  readonly principal: string;
  readonly server: string;
  readonly text: string;
}

/** A query for approvals, newest first. All conditions must match. */
export interface ApprovalQuery {
  readonly limit: number;
  /** Only approvals that can still take effect at this time. */
  readonly openAt?: number;
  /** Only approvals with one of these answers; `''` means no answer. */
  readonly answers?: readonly ApprovalRecord['answer'][];
  /** Only approvals after the one with this id, in the order of the query. */
  readonly after?: string;
  readonly binding?: string;
  readonly subject?: string;
  readonly principal?: string;
  readonly server?: string;
}

/** The number of approvals for calls of one principal. */
export interface PrincipalCount {
  readonly principal: string;
  readonly count: number;
}

/** The part of the `Store` interface for approvals, which change only together with a journal entry. */
export interface ApprovalStore {
  approval(id: string): Promise<ApprovalRecord | undefined>;
  approvals(query: ApprovalQuery): Promise<readonly ApprovalRecord[]>;
  /** Counts the matching approvals for each principal that has any. */
  countApprovals(query: Omit<ApprovalQuery, 'limit' | 'after'>): Promise<readonly PrincipalCount[]>;
  /** Returns the remembered approvals that are not revoked, oldest first. */
  rules(query?: { readonly principal?: string; readonly server?: string }): Promise<readonly StoredRule[]>;
}

/** Returns the hash by which an approval is looked up. Comparing the ids themselves would leak matching prefixes through timing. */
export function approvalDigest(id: string): string {
  return hash('sha256', id, 'hex');
}
