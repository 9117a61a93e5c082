import type { EntryDraft } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Redactor } from '../../journal/redaction.ts';
import type { CallOutcome } from '../../model/call.ts';
import { messageOf } from '../../model/errors.ts';
import { unfinished } from '../../model/unfinished.ts';
import type { Call, Stage } from '../call.ts';
import { needsRecording, outcomeDraft } from '../record.ts';

/** How outcomes are recorded. */
interface RecordOptions {
  readonly journal: Journal;
  readonly redactor: Redactor;
  /** Keeps whole what calls of sessions came to, so that they can be replayed. */
  readonly isRecording: boolean;
  /** How a call ended is about to be recorded. */
  onEnding(call: Call, outcome: CallOutcome): void;
  onUnrecorded(call: Call): void;
}

/** Writes the one `ToolInvoked` of every call, however it ended, before the caller gets the answer. */
export function recordOutcome({ journal, redactor, isRecording, onEnding, onUnrecorded }: RecordOptions): Stage {
  return async (call, next) => {
    const begun = performance.now();
    let outcome: CallOutcome;
    try {
      outcome = await next(call);
    } catch (error) {
      outcome = faulty(call, error);
    }
    call.durationMs = Math.round((performance.now() - begun) * 1000) / 1000;
    // A read that ended before its intent was written needs no intent: the outcome says everything.
    call.intent?.withdraw();
    try {
      const written = await journal.append(draftOf(call, outcome), 'crash');
      if (written === undefined)
        throw new Error('another process took this one for gone, and recorded it as "unknown"');
    } catch (error) {
      onUnrecorded(call);
      return unrecorded(call, outcome, error);
    }
    return outcome;
  };

  function draftOf(call: Call, outcome: CallOutcome): EntryDraft {
    const draft = outcomeDraft(call, redactor, outcome);
    onEnding(call, outcome);
    const { claimed } = call;
    const isRecorded = isRecording && needsRecording(call, outcome);
    if (claimed === undefined && !isRecorded) return draft;
    const whole = JSON.stringify(outcome);
    return {
      ...draft,
      ...(claimed === undefined ? {} : { settle: { key: claimed, outcome: redactor.values(whole) } }),
      ...(isRecorded ? { recording: redactor.json(whole) } : {}),
    };
  }
}

function faulty(call: Call, error: unknown): CallOutcome {
  return unfinished('failed', 'internal-fault', `a fault inside Signalbox ended ${call.name}: ${messageOf(error)}`);
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
