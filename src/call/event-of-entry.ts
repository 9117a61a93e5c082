import { type StoredEntry, type ToolInvoked, toEvent } from '../journal/entry.ts';
import { type CallEvent, mayHaveRun } from '../policy/call-event.ts';

/** What facts are made of, out of the record of a call. */
export interface EndedCall {
  readonly session: string;
  readonly principal: string;
  /** Absent when the tool certainly did not run. */
  readonly event: CallEvent | undefined;
}

/** Reads a `ToolInvoked` entry as facts need it. Calls that went past the pipeline ran without a decision. */
export function endedCall(entry: StoredEntry): EndedCall {
  const recorded = toEvent(entry) as ToolInvoked;
  const { outcome, error, decision, observed = false } = recorded;
  const who = { session: entry.session, principal: recorded.principal?.id ?? '' };
  if (!mayHaveRun(outcome, error, decision !== undefined || observed)) return { ...who, event: undefined };
  return {
    ...who,
    event: {
      seq: entry.seq,
      at: entry.at,
      call: entry.call,
      tool: entry.tool,
      effect: recorded.effect ?? 'irreversible',
      labels: recorded.labels ?? [],
      ok: outcome === 'completed',
      arguments: recorded.arguments,
      output: recorded.output,
      cost: 0,
    },
  };
}
