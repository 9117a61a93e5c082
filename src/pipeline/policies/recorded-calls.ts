import type { ArgumentFacts } from '../../core/calls/argument-facts.ts';
import { omitUndefined } from '../../core/omit-undefined.ts';
import type { RecordedNaming } from '../../core/tools/tool-names.ts';
import { type StoredEntry, countedIn, toEvent } from '../../journal/entries/stored-entry.ts';
import type { JournalEvent, ToolInvoked } from '../../journal/entries/journal-event.ts';
import { type CallEvent, mayHaveRun } from '../../policy/facts/call-event.ts';

/** The owner of a recorded call, and its event for facts. */
export interface EndedCall {
  readonly session: string;
  readonly principal: string;
  /** Absent when the tool certainly did not run, or another call counts in its place. */
  readonly event: CallEvent | undefined;
}

/** Parses a `ToolInvoked` entry. */
export function endedCall(entry: StoredEntry): EndedCall {
  const recorded = toEvent(entry) as ToolInvoked;
  return { session: entry.session, principal: recorded.principal.id, event: eventOf(recorded, countedIn(entry)) };
}

/** Returns the event of a recorded call; `undefined` when it did not run or another call counts instead. Observed calls ran without a decision. */
export function eventOf(recorded: ToolInvoked, argumentFacts?: ArgumentFacts): CallEvent | undefined {
  const { outcome, error, decision, approvalId, observed = false, uncounted = false } = recorded;
  if (uncounted) return undefined;
  // A call that still asked when it ended, for example because its caller gave up, did not run.
  const isAsking = decision?.answer === 'ask' && approvalId === undefined;
  if (!mayHaveRun(outcome, error, (decision !== undefined && !isAsking) || observed)) return undefined;
  return {
    seq: recorded.seq,
    at: Date.parse(recorded.at),
    call: recorded.callId,
    tool: recorded.tool,
    naming: namingIn(recorded),
    effect: recorded.effect ?? 'irreversible',
    labels: recorded.labels ?? [],
    ok: outcome === 'completed',
    arguments: recorded.arguments,
    argumentFacts,
    output: recorded.output,
    cost: recorded.costUsd ?? 0,
  };
}

/** Returns the names of a tool that a journal entry records besides the rendered one. */
export function namingIn({ ownName, renamedFrom }: RecordedNaming): RecordedNaming | undefined {
  if (ownName === undefined && renamedFrom === undefined) return undefined;
  return omitUndefined({ ownName, renamedFrom });
}

/**
 * Returns whether the tool of an ended call ran. Only slow reads have an intent; a call that was still waiting for approval when
 * it ended did not run.
 */
export function toolRan(
  { observed, decision, effect, outcome, error }: ToolInvoked,
  history: readonly JournalEvent[],
): boolean {
  if (observed === true) return true;
  // A limit may deny a call after its intent is written, because only then is its position among those of other processes known.
  if (history.some(({ type }) => type === 'CallStarted')) return outcome !== 'denied';
  return effect === 'read' && decision?.answer === 'allow' && mayHaveRun(outcome, error, true);
}
