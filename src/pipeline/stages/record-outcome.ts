import type { MaybePromise } from '../../core/async/maybe-promise.ts';
import type { EntryDraft } from '../../journal/entries/stored-entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { withOutcomeDigests } from '../../journal/integrity/outcome-history.ts';
import type { CallOutcome } from '../../core/calls/call-outcome.ts';
import { messageOf } from '../../core/errors.ts';
import { failedOutcome } from '../../core/calls/call-outcome.ts';
import type { Call } from '../call-lifecycle.ts';
import type { Stage } from '../stage.ts';
import { prepareEntry, needsRecording, outcomeDraft } from '../recording/call-entries.ts';

/** How outcomes are recorded. */
interface RecordOptions {
  readonly journal: Journal;
  readonly redactor: Redactor;
  /** Keeps whole what calls of sessions came to, so that they can be replayed. */
  readonly isRecording: boolean;
  /** The tool was begun and has not answered yet. */
  onRunning(call: Call): void;
  /** How a call ended is about to be recorded. */
  onEnding(call: Call, outcome: CallOutcome): void;
  onUnrecorded(call: Call): void;
}

/** Writes the one `ToolInvoked` of every call, however it ended, before the caller gets the answer. */
export function recordOutcome(options: RecordOptions): Stage {
  const { journal, redactor, isRecording, onRunning, onEnding, onUnrecorded } = options;

  // One promise of its own: each one more between the record and the caller is waited for by every call.
  return (call, next) =>
    new Promise((resolve) => {
      const begun = performance.now();
      const record = (outcome: CallOutcome): void => recorded(call, outcome, begun, resolve);
      let outcome: MaybePromise<CallOutcome>;
      try {
        outcome = next(call);
      } catch (error) {
        outcome = faulty(call, error);
      }
      if (!(outcome instanceof Promise)) return record(outcome);
      outcome.then(record, (error: unknown) => record(faulty(call, error)));
      if (call.isStarted) whileItRuns(call);
    });

  /** What can be made of the record before the outcome is there, so that the caller does not wait for it then. */
  function whileItRuns(call: Call): void {
    call.preparedEntry = prepareEntry(call, redactor);
    onRunning(call);
  }

  function recorded(
    call: Call,
    outcome: CallOutcome,
    begun: number,
    resolve: (ended: MaybePromise<CallOutcome>) => void,
  ): void {
    call.durationMs = Math.round((performance.now() - begun) * 1000) / 1000;
    // A read that ended before its intent was written needs no intent: the outcome says everything.
    call.pendingIntent?.withdraw();
    const failed = (error: unknown): void => resolve(notRecorded(call, outcome, error));
    try {
      const written = (entry: unknown): void => (entry === undefined ? failed(takenForGone()) : resolve(outcome));
      journal.appendFor(draftOf(call, outcome), written, failed);
    } catch (error) {
      failed(error);
    }
  }

  async function notRecorded(call: Call, outcome: CallOutcome, error: unknown): Promise<CallOutcome> {
    onUnrecorded(call);
    return unrecorded(call, outcome, error);
  }

  function draftOf(call: Call, outcome: CallOutcome): EntryDraft {
    const draft = outcomeDraft(call, redactor, outcome);
    onEnding(call, outcome);
    const { claimedKey } = call;
    const isRecorded = isRecording && needsRecording(call, outcome);
    if (claimedKey === undefined && !isRecorded) return draft;
    const whole = JSON.stringify(outcome);
    const stored = {
      ...draft,
      ...(claimedKey === undefined ? {} : { settle: { key: claimedKey, outcome: redactor.values(whole) } }),
      ...(isRecorded ? { recording: redactor.json(whole) } : {}),
    };
    return withOutcomeDigests(stored, call.idempotencyClaim?.fingerprint ?? '');
  }
}

function takenForGone(): Error {
  return new Error('another process took this one for gone, and recorded it as "unknown"');
}

function faulty(call: Call, error: unknown): CallOutcome {
  return failedOutcome('failed', 'internal-fault', `a fault inside Signalbox ended ${call.name}: ${messageOf(error)}`);
}

function unrecorded(call: Call, outcome: CallOutcome, error: unknown): CallOutcome {
  if (!call.isStarted) {
    return failedOutcome(
      'failed',
      'journal-unavailable',
      `${call.name} was not run, and that could not be recorded: ${messageOf(error)}`,
    );
  }
  return failedOutcome(
    'unknown',
    'outcome-unrecorded',
    `${call.name} ended as "${outcome.outcome}", but that could not be recorded: ${messageOf(error)}`,
  );
}
