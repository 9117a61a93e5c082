import type { JournalEvent, ToolInvoked } from '../journal/entry.ts';
import { mayHaveRun } from '../policy/call-event.ts';

/**
 * Returns whether the tool of an ended call was run. Reads leave an intent only where they take long; a call that still asked
 * when it ended did not run.
 */
export function toolRan(
  { observed, decision, effect, outcome, error }: ToolInvoked,
  history: readonly JournalEvent[],
): boolean {
  if (observed === true || history.some(({ type }) => type === 'CallStarted')) return true;
  return effect === 'read' && decision?.answer === 'allow' && mayHaveRun(outcome, error, true);
}
