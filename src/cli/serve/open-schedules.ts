import type { Sessions } from '../../sessions/sessions.ts';
import { type ScheduleParts, Schedules } from '../../sessions/schedules.ts';
import type { Signalbox } from '../../signalbox.ts';
import { jobTools } from '../../sources/local/builtin/job-tools.ts';
import { sessionTools } from '../../sources/local/builtin/session-tools.ts';

/** Starts the schedules, and offers agents the tools about sessions and schedules. Close them before the sessions. */
export function openSchedules(
  box: Signalbox,
  sessions: Sessions,
  options: Pick<ScheduleParts, 'refusal' | 'onProblem'>,
): Schedules {
  const schedules = new Schedules({
    store: box.jobStore,
    sessions,
    redact: (text) => box.redact(text),
    ...options,
  });
  for (const tool of [...sessionTools(sessions), ...jobTools({ jobs: schedules, sessions })]) box.builtin?.add(tool);
  schedules.start();
  return schedules;
}
