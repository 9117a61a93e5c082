import type { ApprovalRecord } from '../../journal/store/approval-store.ts';
import type { Approval, ApprovalState, ApprovalQuestion, ApprovalResolution } from '../../core/calls/approval.ts';

/** Returns the public form of an approval. With `waiting`, the ids that calls wait for, it includes whether its caller still waits. */
export function toApproval(record: ApprovalRecord, now = Date.now(), waiting?: ReadonlySet<string>): Approval {
  const state = stateOf(record, now);
  const isOpen = waiting !== undefined && (state === 'pending' || state === 'approved');
  return {
    id: record.id,
    state,
    ...parseQuestion(record),
    requestedAt: new Date(record.requestedAt).toISOString(),
    expiresAt: new Date(record.expiresAt).toISOString(),
    ...(isOpen ? { caller: waiting.has(record.id) ? ('waiting' as const) : ('gone' as const) } : {}),
    ...(record.given === '' ? {} : { answer: parseAnswer(record) }),
    ...(record.usedBy === '' ? {} : { usedBy: record.usedBy }),
  };
}

export function stateOf(record: ApprovalRecord, now = Date.now()): ApprovalState {
  if (record.usedBy !== '') return 'used';
  if (record.answer === 'denied') return 'denied';
  // Approved, but closed before it was used: its arguments could not be run, or the rule that it created was revoked.
  if (record.closed || record.expiresAt <= now) return 'expired';
  return record.answer === 'approved' ? 'approved' : 'pending';
}

export function parseQuestion(record: ApprovalRecord): ApprovalQuestion {
  // Questions of earlier versions do not list their hidden parts; no call of this version uses them.
  return { hidden: [], ...(JSON.parse(record.asked) as Omit<ApprovalQuestion, 'hidden'>) };
}

export function parseAnswer(record: ApprovalRecord): ApprovalResolution {
  return JSON.parse(record.given) as ApprovalResolution;
}

/** A query for a page of the inbox. */
export interface ApprovalPageQuery {
  /** `pending` waits for an answer, `open` (the default) for an answer or for its call. */
  readonly state?: 'pending' | 'open' | 'all';
  /** Only questions of calls by this principal. */
  readonly principal?: string;
  readonly limit: number;
  /** The `next` of the previous page. */
  readonly cursor?: string;
}

/** A page of the inbox, newest first. */
export interface ApprovalPage {
  readonly items: readonly Approval[];
  /** The number of approvals on all pages. */
  readonly total: number;
  /** The cursor of the next page. */
  readonly next?: string;
  /** Every principal with a pending question, on any page. */
  readonly callers: readonly { readonly principal: string; readonly pending: number }[];
}

/** The maximum size of a page. Each question may have arguments of up to a megabyte. */
const maxPageCharacters = 4 * 1024 * 1024;

/** Returns as many records as fit in a page, at least one. */
export function firstPage(records: readonly ApprovalRecord[], limit: number): readonly ApprovalRecord[] {
  let room = maxPageCharacters;
  let count = 0;
  for (const { asked } of records.slice(0, limit)) {
    room -= asked.length;
    if (room < 0 && count > 0) break;
    count += 1;
  }
  return records.slice(0, count);
}
