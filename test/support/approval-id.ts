import assert from 'node:assert/strict';
import type { CallOutcome } from '../../src/core/calls/call-outcome.ts';

/** Returns the id of the approval that a call waits for. */
export function approvalIdOf(result: CallOutcome): string {
  assert.equal(result.outcome, 'awaiting-approval', result.error?.message);
  assert.ok(result.outcome === 'awaiting-approval' && result.approvalId !== undefined);
  return result.approvalId;
}
