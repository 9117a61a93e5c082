import type { Sessions } from '../../sessions/sessions.ts';
import { type ScheduleParts, Schedules } from '../../sessions/schedules.ts';
import type { Signalbox } from '../../signalbox.ts';
import { jobTools } from '../../sources/local/builtin/job-tools.ts';
import { sessionTools } from '../../sources/local/builtin/session-tools.ts';
import { countClaudeTranscripts } from './claude-transcripts.ts';
import { tokenRefusal } from './token-refusal.ts';

/**
 * Offers agents the tools about sessions and schedules, and starts these when all is ready, unless other processes run them.
 * Close them before the sessions.
 */
export function openSchedules(
  box: Signalbox,
  sessions: Sessions,
  {
    ready,
    runs = true,
    ...options
  }: Pick<ScheduleParts, 'onProblem' | 'now'> & {
    readonly ready?: Promise<unknown>;
    readonly runs?: boolean;
  },
): Schedules {
  const schedules = new Schedules({
    store: box.jobStore,
    post: box.shared.post,
    sessions,
    redact: (text) => box.redact(text),
    refusal: (owner) => tokenRefusal(box.tokens, owner),
    ...options,
  });
  const about = sessionTools({
    sessions,
    directory: process.cwd(),
    claudeTranscripts: (cwd) => countClaudeTranscripts(cwd, sessions, box.sessionStore),
  });
  for (const tool of [...about, ...jobTools({ jobs: schedules, sessions })]) box.builtin?.add(tool);
  if (!runs) return schedules;
  if (ready === undefined) schedules.start();
  else void ready.then(() => schedules.start());
  return schedules;
}
