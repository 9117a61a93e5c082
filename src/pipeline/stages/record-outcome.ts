import type { MaybePromise } from '../../core/async/maybe-promise.ts';
import type { EntryDraft } from '../../journal/entries/stored-entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import { withOutcomeDigests } from '../../journal/integrity/outcome-history.ts';
import { type CallOutcome, failedOutcome } from '../../core/calls/call-outcome.ts';
import { messageOf } from '../../core/errors.ts';
import type { Call } from '../call-lifecycle.ts';
import type { ActivePolicies } from '../policies/active-policies.ts';
import type { UnsettledCalls } from '../recording/unsettled-calls.ts';
import type { Stage } from '../stage.ts';
import { prepareEntry, needsRecording, outcomeDraft } from '../recording/call-entries.ts';

/** Dependencies and options of the stage. */
export interface RecordOutcomeOptions {
  readonly journal: Journal;
  readonly redactor: Redactor;
  /** Whether outcomes of calls in sessions are stored in full, for replay. */
  readonly isRecording: boolean;
  readonly policies: Pick<ActivePolicies, 'current' | 'expectEnding' | 'forget'>;
  readonly unsettled: Pick<UnsettledCalls, 'add'>;
}

/**
 * Writes the one `ToolInvoked` entry of every call, however it ended, before the caller receives the outcome. The facts that policies count
 * follow from that entry; they are prepared while the tool runs.
 */
export function recordOutcome(options: RecordOutcomeOptions): Stage<Call> {
  const { journal, redactor, isRecording, policies, unsettled } = options;

  // A single promise for the whole stage, because each additional promise would delay every call.
  return (call, next) =>
    new Promise((resolve) => {
      const begun = performance.now();
      const record = (outcome: CallOutcome): void => recorded(call, outcome, begun, resolve);
      let outcome: MaybePromise<CallOutcome>;
      try {
        outcome = next(call);
      } catch (error) {
        outcome = internalFault(call, error);
      }
      if (!(outcome instanceof Promise)) return record(outcome);
      outcome.then(record, (error: unknown) => record(internalFault(call, error)));
      if (!call.run.isStarted) return;
      // Prepares the known part of the entry while the tool runs, so that the caller does not wait for it at the end.
      call.recording.preparedEntry = prepareEntry(call, redactor, policies.current !== undefined);
    });

  function recorded(
    call: Call,
    outcome: CallOutcome,
    begun: number,
    resolve: (ended: MaybePromise<CallOutcome>) => void,
  ): void {
    call.recording.durationMs = Math.round((performance.now() - begun) * 1000) / 1000;
    // A read that ended before its intent was written needs no intent, because the outcome is complete.
    call.recording.pendingIntent?.withdraw();
    const failed = (error: unknown): void => resolve(notRecorded(call, outcome, error));
    try {
      const written = (entry: unknown): void => (entry === undefined ? failed(recordedElsewhere()) : resolve(outcome));
      journal.appendFor(draftOf(call, outcome), written, failed);
    } catch (error) {
      failed(error);
    }
  }

  async function notRecorded(call: Call, outcome: CallOutcome, error: unknown): Promise<CallOutcome> {
    policies.forget(call);
    unsettled.add(call.id, call.run.isStarted);
    return unrecorded(call, outcome, error);
  }

  function draftOf(call: Call, outcome: CallOutcome): EntryDraft {
    const { draft, isWhole } = outcomeDraft(call, redactor, outcome);
    if (isWhole) policies.expectEnding(call, outcome);
    const { claimedKey } = call.recording;
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

function recordedElsewhere(): Error {
  return new Error('another process considered this process dead and recorded the call as "unknown"');
}

/** Returns `unknown` once the tool was started, because it may have acted. */
function internalFault(call: Call, error: unknown): CallOutcome {
  const outcome = call.run.isStarted ? 'unknown' : 'failed';
  return failedOutcome(outcome, 'internal-fault', `a fault inside Signalbox ended ${call.name}: ${messageOf(error)}`);
}

function unrecorded(call: Call, outcome: CallOutcome, error: unknown): CallOutcome {
  if (!call.run.isStarted) {
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
