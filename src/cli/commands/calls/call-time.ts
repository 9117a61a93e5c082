import { toolRan } from '../../../pipeline/policies/recorded-calls.ts';
import type { JournalReader } from '../../../journal/queries/journal-reader.ts';
import { approvalWaitMs } from '../../../journal/queries/approval-wait.ts';
import { formatDuration } from '../../terminal/time.ts';

/** The duration of a call, including the wait for an approval, and whether its tool ran. */
export interface CallTime {
  readonly durationMs: number;
  readonly waitedMs?: number | undefined;
  /** Defaults to true. */
  readonly ran?: boolean | undefined;
}

const maxEntries = 100;

/** Reads the time of an ended call from the journal; `undefined` when no end is recorded. */
export async function readCallTime(journal: JournalReader, call: string): Promise<CallTime | undefined> {
  const { items } = await journal.query({ call, order: 'oldest-first', limit: maxEntries });
  const ended = items.findLast((entry) => entry.type === 'ToolInvoked');
  if (ended?.type !== 'ToolInvoked' || ended.durationMs === null) return undefined;
  return { durationMs: ended.durationMs, waitedMs: approvalWaitMs(ended, items), ran: toolRan(ended, items) };
}

/** Formats as `12 ms`, `5.2 s (waited 5.1 s for an answer, ran 12 ms)` or `5.2 s (waited 5.2 s for an answer, did not run)`. */
export function formatCallTime({ durationMs, waitedMs, ran = true }: CallTime): string {
  const whole = formatDuration(durationMs);
  if (waitedMs === undefined) return whole;
  const rest = ran ? `ran ${formatDuration(durationMs - waitedMs)}` : 'did not run';
  return `${whole} (waited ${formatDuration(waitedMs)} for an answer, ${rest})`;
}
