import type { Approval } from '../../core/calls/approval.ts';
import type { JournalEvent, ToolInvoked } from '../entries/journal-event.ts';

interface Question {
  readonly asked: number;
  readonly answered?: number;
}

/**
 * Returns for how many milliseconds of its duration a call waited for a human, or `undefined` when it did not wait. Counts only the
 * overlap, because an identical earlier call may have asked the question. `approval` is the approval that the call used.
 */
export function approvalWaitMs(
  { at, durationMs }: Pick<ToolInvoked, 'at' | 'durationMs'>,
  history: readonly JournalEvent[],
  approval?: Pick<Approval, 'id' | 'requestedAt' | 'answer'>,
): number | undefined {
  if (durationMs === null) return undefined;
  const questions = questionsOf(history);
  if (approval !== undefined && !questions.has(approval.id)) {
    const { requestedAt, answer } = approval;
    const asked = Date.parse(requestedAt);
    questions.set(approval.id, answer === undefined ? { asked } : { asked, answered: Date.parse(answer.at) });
  }
  const end = Date.parse(at);
  let waited = 0;
  for (const { asked, answered = end } of questions.values())
    waited += Math.max(0, Math.min(answered, end) - Math.max(asked, end - durationMs));
  return waited === 0 ? undefined : Math.min(waited, durationMs);
}

function questionsOf(history: readonly JournalEvent[]): Map<string, Question> {
  const questions = new Map<string, Question>();
  for (const entry of history) {
    if (entry.type !== 'ApprovalRequested' && entry.type !== 'ApprovalResolved') continue;
    const at = Date.parse(entry.at);
    const open = questions.get(entry.approvalId);
    if (open === undefined) questions.set(entry.approvalId, { asked: at });
    else questions.set(entry.approvalId, { ...open, answered: at });
  }
  return questions;
}
