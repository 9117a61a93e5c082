import type { ApprovalRecord } from '../../journal/store/approval-store.ts';
import type { Approval, ApprovalState, ApprovalQuestion, ApprovalResolution } from '../../core/calls/approval.ts';

/** Returns the public form of an approval. With `waiting`, the ids that calls wait for, it includes whether its caller still waits. */
export function toApproval(record: ApprovalRecord, now = Date.now(), waiting?: ReadonlySet<string>): Approval {
  const state = stateOf(record, now);
  const isOpen = waiting !== undefined && (state === 'pending' || state === 'approved');
  return {
    id: record.id,
    state,
    ...askedOf(record),
    requestedAt: new Date(record.requestedAt).toISOString(),
    expiresAt: new Date(record.expiresAt).toISOString(),
    ...(isOpen ? { caller: waiting.has(record.id) ? ('waiting' as const) : ('gone' as const) } : {}),
    ...(record.given === '' ? {} : { answer: givenOf(record) }),
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

export function askedOf(record: ApprovalRecord): ApprovalQuestion {
  // Questions of earlier versions do not list their hidden parts; no call of this version uses them.
  return { hidden: [], ...(JSON.parse(record.asked) as Omit<ApprovalQuestion, 'hidden'>) };
}

export function givenOf(record: ApprovalRecord): ApprovalResolution {
  return JSON.parse(record.given) as ApprovalResolution;
}
