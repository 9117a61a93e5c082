import type { Journal } from '../../journal/journal.ts';
import type { Redactor } from '../../journal/redaction.ts';
import type { CallOutcome } from '../../model/call.ts';
import { messageOf } from '../../model/errors.ts';
import { unfinished } from '../../model/unfinished.ts';
import type { Call, Next, Stage } from '../call.ts';
import { outcomeDraft } from '../record.ts';

/** Writes the one `ToolInvoked` of every call, however it ended, before the caller gets the answer. */
export function recordOutcome(journal: Journal, redactor: Redactor, onUnrecorded: (call: Call) => void): Stage {
  return async (call, next) => {
    const begun = performance.now();
    const outcome = await outcomeFrom(call, next);
    call.durationMs = Math.round((performance.now() - begun) * 1000) / 1000;
    // A read that ended before its intent was written needs no intent: the outcome says everything.
    call.intent?.withdraw();
    const draft = outcomeDraft(call, redactor, outcome);
    const { claimed } = call;
    try {
      await journal.append(
        claimed === undefined
          ? draft
          : { ...draft, settle: { key: claimed, outcome: redactor.values(JSON.stringify(outcome)) } },
        'crash',
      );
    } catch (error) {
      onUnrecorded(call);
      return unrecorded(call, outcome, error);
    }
    return outcome;
  };
}

async function outcomeFrom(call: Call, next: Next): Promise<CallOutcome> {
  try {
    return await next(call);
  } catch (error) {
    return unfinished('failed', 'internal-fault', `a fault inside Signalbox ended ${call.name}: ${messageOf(error)}`);
  }
}

function unrecorded(call: Call, outcome: CallOutcome, error: unknown): CallOutcome {
  if (!call.started) {
    return unfinished(
      'failed',
      'journal-unavailable',
      `${call.name} was not run, and that could not be recorded: ${messageOf(error)}`,
    );
  }
  return unfinished(
    'unknown',
    'outcome-unrecorded',
    `${call.name} ended as "${outcome.outcome}", but that could not be recorded: ${messageOf(error)}`,
  );
}
