import type { Approval } from '../../core/calls/approval.ts';
import type { ApprovalRecord } from '../../journal/store/approval-store.ts';

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
