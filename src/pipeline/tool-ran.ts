import type { JournalEvent, ToolInvoked } from '../journal/entry.ts';
import { mayHaveRun } from '../policy/facts/call-event.ts';

/**
 * Returns whether the tool of an ended call was run. Reads leave an intent only where they take long; a call that still asked
 * when it ended did not run.
 */
export function toolRan(
  { observed, decision, effect, outcome, error }: ToolInvoked,
  history: readonly JournalEvent[],
): boolean {
  if (observed === true) return true;
  // A limit may refuse a call whose intent is written: its place among those of other processes is known only then.
  if (history.some(({ type }) => type === 'CallStarted')) return outcome !== 'denied';
  return effect === 'read' && decision?.answer === 'allow' && mayHaveRun(outcome, error, true);
}
