import type { Journal, Durability } from '../../journal/journal.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { Store } from '../../journal/store/store.ts';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import type { Decision } from '../../core/calls/decision.ts';
import { messageOf } from '../../core/errors.ts';
import type { AdmittedCall, DecidedCall, IdempotencyClaim } from '../call-lifecycle.ts';
import { policyDenied } from '../policies/decider.ts';
import type { Next, Stage } from '../stage.ts';
import type { ActivePolicies } from '../policies/active-policies.ts';
import { intentDraft } from '../recording/call-entries.ts';

type Recounting = Pick<ActivePolicies, 'needsRecount' | 'recount'>;

/**
 * Writes the intent of the call before its tool runs. A call with an effect waits until the intent would survive a power loss; a read
 * continues immediately, because running it again does no harm. The same write consumes the approval, so that it is used only once. The
 * position of the intent in the journal decides which of several processes reached a limit first.
 */
export function recordIntent(
  store: Store,
  journal: Journal,
  redactor: Redactor,
  policies: Recounting,
): Stage<DecidedCall, AdmittedCall> {
  return (call, next) => {
    const { idempotencyClaim, approval } = call;
    const isRead = call.tool.definition.effect === 'read';
    const isCounted = policies.needsRecount(call);
    if (idempotencyClaim !== undefined || approval !== undefined || !isRead)
      return afterIntent(call, next, idempotencyClaim, isCounted);
    if (isCounted) return afterIntent(call, next, idempotencyClaim, isCounted, 'crash');
    const outcome = next(admitted(call));
    // A call that has already ended needs no intent, because the entry of its outcome is complete.
    if (outcome instanceof Promise) call.recording.pendingIntent = journal.noteSoon(() => intentDraft(call, redactor));
    return outcome;
  };

  async function afterIntent(
    call: DecidedCall,
    next: Next<AdmittedCall>,
    claim: IdempotencyClaim | undefined,
    isCounted: boolean,
    survives: Durability = 'power-loss',
  ): Promise<CallOutcome> {
    let denial: Decision | undefined;
    try {
      const { approval } = call;
      const written = await journal.append(
        {
          ...intentDraft(call, redactor),
          ...(claim === undefined ? {} : { claim }),
          ...(approval === undefined ? {} : { approval: { kind: 'use', id: approval, at: Date.now() } }),
        },
        survives,
      );
      if (written === undefined) return await refused(call, claim);
      call.recording.claimedKey = claim?.key;
      if (isCounted) denial = await policies.recount(call, written.seq);
    } catch (error) {
      return failedOutcome(
        'failed',
        'journal-unavailable',
        `${call.name} was not run, because its intent could not be recorded: ${messageOf(error)}`,
      );
    }
    if (denial !== undefined) {
      call.decision = denial;
      return policyDenied(call, denial);
    }
    return next(admitted(call));
  }

  async function refused(call: DecidedCall, claim: IdempotencyClaim | undefined): Promise<CallOutcome> {
    if (claim !== undefined && (await store.claim(claim.key)) !== undefined) {
      return failedOutcome(
        'failed',
        'idempotency-conflict',
        `${call.name} is being run for the same idempotency key by another process; call again to get its outcome`,
      );
    }
    return failedOutcome('denied', 'approval-used', `${call.name} was not run: its approval was used, or has expired`);
  }
}

/** Marks a call as one whose tool may have begun to act. */
function admitted(call: DecidedCall): AdmittedCall {
  call.run.isStarted = true;
  return call as AdmittedCall;
}
