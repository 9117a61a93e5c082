import type { ApprovalRecord } from '../../journal/approval-store.ts';
import type { Approval, ApprovalState, AskedCall, GivenAnswer } from '../../model/approval.ts';

/** An approval as people see it. */
export function toApproval(record: ApprovalRecord, now = Date.now()): Approval {
  return {
    id: record.id,
    state: stateOf(record, now),
    ...askedOf(record),
    requestedAt: new Date(record.requestedAt).toISOString(),
    expiresAt: new Date(record.expiresAt).toISOString(),
    ...(record.given === '' ? {} : { answer: givenOf(record) }),
    ...(record.usedBy === '' ? {} : { usedBy: record.usedBy }),
  };
}

export function stateOf(record: ApprovalRecord, now = Date.now()): ApprovalState {
  if (record.usedBy !== '') return 'used';
  if (record.answer === 'denied') return 'denied';
  // Approved, and over before it was used: its arguments could not be run, or the rule it made was revoked.
  if (record.closed || record.expiresAt <= now) return 'expired';
  return record.answer === 'approved' ? 'approved' : 'pending';
}

export function askedOf(record: ApprovalRecord): AskedCall {
  return JSON.parse(record.asked) as AskedCall;
}

export function givenOf(record: ApprovalRecord): GivenAnswer {
  return JSON.parse(record.given) as GivenAnswer;
}
