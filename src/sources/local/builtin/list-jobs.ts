import { type Caller, standingOf } from './caller.ts';
import { type JobDependencies, type JobLine, jobLine } from './job-book.ts';

/** Lists the jobs that the caller may know of, oldest first. */
export async function listJobs(
  { jobs, sessions }: JobDependencies,
  caller: Caller,
): Promise<{ readonly jobs: readonly JobLine[] }> {
  const { only } = await standingOf(caller, sessions);
  return { jobs: (await jobs.list(only === undefined ? {} : { owner: only })).map(jobLine) };
}
