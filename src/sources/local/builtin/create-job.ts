import type { ToolContext } from '../../../core/tools/tool-context.ts';
import { SignalboxError } from '../../../core/errors.ts';
import { type Caller, standingOf } from './caller.ts';
import { type JobDependencies, type JobLine, jobLine } from './job-book.ts';

/** What `create_job` takes. */
export interface CreateJobArguments {
  readonly cron: string;
  readonly prompt: string;
  readonly agent?: string | undefined;
  readonly cwd?: string | undefined;
  readonly timezone?: string | undefined;
}

/** Makes a job for whom the caller acts. Unless said otherwise it works with the agent and in the directory of the caller's session. */
export async function createJob(
  { jobs, sessions }: JobDependencies,
  { cron, prompt, ...more }: CreateJobArguments,
  caller: Caller & Pick<ToolContext, 'callId' | 'profile'>,
): Promise<JobLine> {
  const { owner, session } = await standingOf(caller, sessions);
  const agent = more.agent ?? session?.agent;
  // An agent has the profile that the configuration gives it, and another one may have a wider one.
  if (caller.profile !== undefined && (session === undefined || agent !== session.agent))
    throw new SignalboxError(
      'job-invalid',
      `whoever is bound to a profile (${caller.profile}) makes jobs only in a session, with the agent of that session`,
    );
  const cwd = more.cwd ?? session?.cwd;
  const request = {
    cron,
    prompt,
    ...(agent === undefined ? {} : { agent }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(more.timezone === undefined ? {} : { timezone: more.timezone }),
  };
  return jobLine(await jobs.create(request, owner, jobOfCall(caller.callId)));
}

/** Takes the job back that a call made. */
export async function undoCreateJob({ jobs }: JobDependencies, callId: string): Promise<void> {
  try {
    await jobs.delete(jobOfCall(callId));
  } catch (error) {
    // It was deleted since, or the call failed before there was one.
    if (!(error instanceof SignalboxError && error.code === 'job-unknown')) throw error;
  }
}

/** A job is named after the call that made it: that is how its undo finds it. */
function jobOfCall(callId: string): string {
  return callId.replace(/^call_/, 'job_');
}
