import * as z from 'zod';
import { SignalboxError } from '../../../core/errors.ts';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import { type OwnTool, defineTool } from '../define-tool.ts';
import { type Caller, standingOf } from './caller.ts';
import { type JobDependencies, type JobFacts, type JobLine, jobLine } from './job-book.ts';

/** The built-in tools about schedules. */
export function jobTools(dependencies: JobDependencies): OwnTool[] {
  return [
    defineTool({
      name: 'create_job',
      description:
        'Creates a schedule: at each of its times, an agent starts in a new session with the prompt. Its tool calls ask as usual; while one waits for a human, further runs are skipped.',
      input: z.object({
        cron: z
          .string()
          .describe(
            'When: minute, hour, day of the month, month, day of the week; "0 9 * * 1-5" is nine on working days.',
          ),
        prompt: z.string().describe('What the agent is asked to do each time.'),
        agent: z.string().optional().describe('Which agent; the one of this session unless given.'),
        cwd: z.string().optional().describe('The working directory, absolute; the one of this session unless given.'),
        timezone: z
          .string()
          .optional()
          .describe('The time zone of "cron", like Europe/Berlin; the server’s unless given.'),
      }),
      effect: 'compensable',
      run: (args, context) => createJob(dependencies, args, context),
      undo: (_, { callId }) => undoCreateJob(dependencies, callId),
    }),
    defineTool({
      name: 'list_jobs',
      description: 'Lists schedules with their next run and the result of the last one.',
      input: z.object({}),
      effect: 'read',
      idempotent: true,
      run: (_, context) => listJobs(dependencies, context),
    }),
    defineTool({
      name: 'delete_job',
      description: 'Deletes a schedule. A session that it started continues.',
      input: z.object({ id: z.string().describe('The id of the job, as list_jobs tells it.') }),
      effect: 'compensable',
      run: (args, context) => deleteJob(dependencies, args, context),
      undo: (args) => undoDeleteJob(dependencies, args),
    }),
  ];
}

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

/** Lists the jobs that the caller may know of, oldest first. */
export async function listJobs(
  { jobs, sessions }: JobDependencies,
  caller: Caller,
): Promise<{ readonly jobs: readonly JobLine[] }> {
  const { only } = await standingOf(caller, sessions);
  return { jobs: (await jobs.list(only === undefined ? {} : { owner: only })).map(jobLine) };
}
