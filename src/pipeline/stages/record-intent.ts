import type { Journal, Survives } from '../../journal/journal.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { Store } from '../../journal/store/store.ts';
import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import type { Decision } from '../../core/calls/decision.ts';
import { messageOf } from '../../core/errors.ts';
import { failedOutcome } from '../../core/calls/call-outcome.ts';
import type { DecidedCall } from '../call-lifecycle.ts';
import type { Next, Stage } from '../stage.ts';
import type { ActivePolicies } from '../policies/active-policies.ts';
import { intentDraft } from '../recording/call-entries.ts';

/** The part of `Policies` that counts a call when its intent is in the journal. */
type Counting = Pick<ActivePolicies, 'countsAgain' | 'recount'>;

/**
 * Writes what is about to happen before it happens. Anything but a read waits until that would survive a power loss; a read
 * goes on at once, since running it again harms nobody. An approval is used up by the same write: it can never serve twice.
 * The place of the intent in the journal also decides which of several processes reached a limit first.
 */
export function recordIntent(
  store: Store,
  journal: Journal,
  redactor: Redactor,
  policies: Counting,
): Stage<DecidedCall> {
  return (call, next) => {
    const { idempotencyClaim, approval } = call;
    const isRead = call.tool.definition.effect === 'read';
    const isCounted = policies.countsAgain(call);
    if (idempotencyClaim !== undefined || approval !== undefined || !isRead)
      return afterIntent(call, next, idempotencyClaim, isCounted);
    if (isCounted) return afterIntent(call, next, idempotencyClaim, isCounted, 'crash');
    call.isStarted = true;
    const outcome = next(call);
    // Where the answer is there already, it says everything.
    if (outcome instanceof Promise) call.pendingIntent = journal.noteSoon(() => intentDraft(call, redactor));
    return outcome;
  };

  async function afterIntent(
    call: DecidedCall,
    next: Next<DecidedCall>,
    claim: DecidedCall['idempotencyClaim'],
    isCounted: boolean,
    survives: Survives = 'power-loss',
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
      call.claimedKey = claim?.key;
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
      return failedOutcome('denied', 'policy-denied', `${call.name} was refused by ${denial.rule}: ${denial.reason}`);
    }
    call.isStarted = true;
    return next(call);
  }

  async function refused(call: DecidedCall, claim: DecidedCall['idempotencyClaim']): Promise<CallOutcome> {
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
