import type { Journal } from '../../journal/journal.ts';
import type { Redactor } from '../../journal/redaction.ts';
import type { CallOutcome } from '../../model/call.ts';
import { messageOf } from '../../model/errors.ts';
import { unfinished } from '../../model/unfinished.ts';
import { type Call, type Next, type Stage, toolOf } from '../call.ts';
import { intentDraft } from '../record.ts';

/**
 * Writes what is about to happen before it happens. Anything but a read waits until that would survive a power loss; a read
 * goes on at once, since running it again harms nobody.
 */
export function recordIntent(journal: Journal, redactor: Redactor): Stage {
  return (call, next) => {
    const { claim } = call;
    if (claim !== undefined || toolOf(call).definition.effect !== 'read') return afterIntent(call, next, claim);
    call.intent = journal.noteSoon(() => intentDraft(call, redactor));
    call.started = true;
    return next(call);
  };

  async function afterIntent(call: Call, next: Next, claim: Call['claim']): Promise<CallOutcome> {
    try {
      const draft = intentDraft(call, redactor);
      const written = await journal.append(claim === undefined ? draft : { ...draft, claim }, 'power-loss');
      if (written === undefined) {
        return unfinished(
          'failed',
          'idempotency-conflict',
          `${call.name} is being run for the same idempotency key by another process; call again to get its outcome`,
        );
      }
    } catch (error) {
      return unfinished(
        'failed',
        'journal-unavailable',
        `${call.name} was not run, because its intent could not be recorded: ${messageOf(error)}`,
      );
    }
    call.claimed = claim?.key;
    call.started = true;
    return next(call);
  }
}
