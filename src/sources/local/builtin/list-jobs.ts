import { type Caller, standingOf } from './caller.ts';
import type { JobDependencies } from './create-job.ts';
import type { JobFacts } from './job-book.ts';

/** A job as it is told to agents. */
export type JobLine = Omit<JobFacts, 'owner'> & { readonly owner: string };

/** Lists the jobs that the caller may know of, oldest first. */
export async function listJobs(
  { jobs, sessions }: JobDependencies,
  caller: Caller,
): Promise<{ readonly jobs: readonly JobLine[] }> {
  const { only } = await standingOf(caller, sessions);
  return { jobs: (await jobs.list(only === undefined ? {} : { owner: only })).map(jobLine) };
}

/** What is told of a job. */
export function jobLine({ owner, ...job }: JobFacts): JobLine {
  return { ...job, owner: owner.id };
}
