import type { JournalReader } from '../journal/reader.ts';
import { waitedForAnswer } from '../journal/waited-for-answer.ts';
import { formatDuration } from './duration.ts';

/** How long a call took, and how much of that it waited for the answer of a human. */
export interface CallTime {
  readonly durationMs: number;
  readonly waitedMs?: number;
}

const mostEntries = 100;

/** The time of a call that has ended, from what is on record; nothing where nobody knows it. */
export async function readCallTime(journal: JournalReader, call: string): Promise<CallTime | undefined> {
  const { items } = await journal.entries({ call, order: 'oldest-first', limit: mostEntries });
  const ended = items.findLast((entry) => entry.type === 'ToolInvoked');
  if (ended?.type !== 'ToolInvoked' || ended.durationMs === null) return undefined;
  const waitedMs = waitedForAnswer(ended, items);
  return { durationMs: ended.durationMs, ...(waitedMs === undefined ? {} : { waitedMs }) };
}

/** `12 ms`, or `5.2 s (waited 5.1 s for an answer, ran 12 ms)`. */
export function formatCallTime({ durationMs, waitedMs }: CallTime): string {
  const whole = formatDuration(durationMs);
  if (waitedMs === undefined) return whole;
  return `${whole} (waited ${formatDuration(waitedMs)} for an answer, ran ${formatDuration(durationMs - waitedMs)})`;
}
