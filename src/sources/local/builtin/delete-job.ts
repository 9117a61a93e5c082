import { SignalboxError } from '../../../core/errors.ts';
import { type Caller, standingOf } from './caller.ts';
import type { JobDependencies, JobFacts } from './job-book.ts';

/** Deletes a job, if the caller may know of it. Its undo restores it. */
export async function deleteJob(
  { jobs, sessions }: JobDependencies,
  { id }: { readonly id: string },
  caller: Caller,
): Promise<{ readonly deleted: string }> {
  const { only } = await standingOf(caller, sessions);
  const job = await known({ jobs, sessions }, id);
  // One message for both: whoever may not see a job learns nothing about it.
  if (job === undefined || (only !== undefined && job.owner.id !== only))
    throw new SignalboxError(
      'job-unknown',
      `there is no job ${id.slice(0, 100)} that you can see; list_jobs lists them`,
    );
  await jobs.delete(id);
  return { deleted: id };
}

/** Brings a deleted job back. One that is still there, because the call failed, is left alone. */
export async function undoDeleteJob(dependencies: JobDependencies, { id }: { readonly id: string }): Promise<void> {
  if ((await known(dependencies, id)) === undefined) await dependencies.jobs.restore(id);
}

async function known({ jobs }: JobDependencies, id: string): Promise<JobFacts | undefined> {
  try {
    return await jobs.get(id);
  } catch (error) {
    if (error instanceof SignalboxError && error.code === 'job-unknown') return undefined;
    throw error;
  }
}
