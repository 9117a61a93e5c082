import * as z from 'zod';
import { SignalboxError } from '../../../core/errors.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import type { Principal } from '../../../core/principal.ts';
import type { ToolContext } from '../../../core/tools/tool-context.ts';
import { type SignalboxTool, defineTool } from '../define-tool.ts';
import { type SessionLookup, type ToolCaller, callerScopeOf, unlessFailed } from './caller-scope.ts';

const newJob = z.object({
  cron: z
    .string()
    .describe(
      'The schedule: minute, hour, day of the month, month, day of the week; "0 9 * * 1-5" is 9:00 on weekdays.',
    ),
  prompt: z.string().describe('The prompt of each run.'),
  agent: z.string().optional().describe('The agent; by default that of this session.'),
  cwd: z.string().optional().describe('The absolute path of the working directory; by default that of this session.'),
  timezone: z
    .string()
    .optional()
    .describe('The time zone of "cron", such as Europe/Berlin; by default that of the server.'),
});

/** Creates the built-in tools for schedules. */
export function jobTools(dependencies: JobDependencies): SignalboxTool[] {
  return [
    defineTool({
      name: 'create_job',
      description:
        'Creates a schedule: at each of its times, an agent starts in a new session with the prompt. Its tool calls ask as usual; while one waits for a human, further runs are skipped.',
      input: newJob,
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
      input: z.object({ id: z.string().describe('The id of the job, as list_jobs returns it.') }),
      effect: 'compensable',
      run: (args, context) => deleteJob(dependencies, args, context),
      undo: (args) => undoDeleteJob(dependencies, args),
    }),
  ];
}

/** Creates a job for the principal that the caller acts for. Agent and directory default to those of the caller's session. */
export async function createJob(
  { jobs, sessions }: JobDependencies,
  { cron, prompt, ...more }: z.infer<typeof newJob>,
  caller: ToolCaller & Pick<ToolContext, 'callId' | 'profile'>,
): Promise<JobLine> {
  const { owner, session } = await callerScopeOf(caller, sessions);
  const agent = more.agent ?? session?.agent;
  // Another agent may have a profile with more tools.
  if (caller.profile !== undefined && (session === undefined || agent !== session.agent))
    throw new SignalboxError(
      'job-invalid',
      `a caller with a profile (${caller.profile}) creates jobs only in a session, with the agent of that session`,
    );
  const request = omitUndefined({ cron, prompt, agent, cwd: more.cwd ?? session?.cwd, timezone: more.timezone });
  return jobLine(await jobs.create(request, owner, jobOfCall(caller.callId)));
}

/** Deletes the job that a call created. */
export async function undoCreateJob({ jobs }: JobDependencies, callId: string): Promise<void> {
  // The job is unknown when it was deleted since, or when the call failed before.
  await unlessFailed(jobs.delete(jobOfCall(callId)), 'job-unknown');
}

/** Returns the id of the job that a call creates, by which its undo finds it. */
function jobOfCall(callId: string): string {
  return callId.replace(/^call_/, 'job_');
}

/** Deletes a job that is visible to the caller. Its undo restores it. */
export async function deleteJob(
  { jobs, sessions }: JobDependencies,
  { id }: { readonly id: string },
  caller: ToolCaller,
): Promise<{ readonly deleted: string }> {
  const { only } = await callerScopeOf(caller, sessions);
  const job = await unlessFailed(jobs.get(id), 'job-unknown');
  // The same message for both cases, so that the existence of an invisible job is not revealed.
  if (job === undefined || (only !== undefined && job.owner.id !== only))
    throw new SignalboxError(
      'job-unknown',
      `there is no job ${id.slice(0, 100)} that you can see; list_jobs lists them`,
    );
  await jobs.delete(id);
  return { deleted: id };
}

/** Restores a deleted job, unless it still exists because the call failed. */
export async function undoDeleteJob({ jobs }: JobDependencies, { id }: { readonly id: string }): Promise<void> {
  if ((await unlessFailed(jobs.get(id), 'job-unknown')) === undefined) await jobs.restore(id);
}

/** Lists the jobs that are visible to the caller, oldest first. */
export async function listJobs(
  { jobs, sessions }: JobDependencies,
  caller: ToolCaller,
): Promise<{ readonly jobs: readonly JobLine[] }> {
  const { only } = await callerScopeOf(caller, sessions);
  return { jobs: (await jobs.list(omitUndefined({ owner: only }))).map(jobLine) };
}

/** The schedule of a job and its prompt. */
export interface JobRequest {
  readonly cron: string;
  readonly timezone?: string;
  readonly prompt: string;
  readonly agent?: string;
  readonly cwd?: string;
}

/** A job, as the built-in tools see it. */
export interface JobDescription extends JobRequest {
  readonly id: string;
  readonly owner: Principal;
  readonly createdAt: string;
  readonly nextAt: string;
  readonly lastRunAt?: string;
  readonly lastSession?: string;
  readonly lastError?: string;
}

/** Stores jobs for the built-in tools. `get`, `delete` and `restore` reject with `job-unknown` where there is none. */
export interface JobLookup {
  create(request: JobRequest, owner: Principal, id: string): Promise<JobDescription>;
  list(query: { readonly owner?: string }): Promise<readonly JobDescription[]>;
  get(id: string): Promise<JobDescription>;
  delete(id: string): Promise<void>;
  restore(id: string): Promise<void>;
}

/** Dependencies of the job tools. */
export interface JobDependencies {
  readonly jobs: JobLookup;
  readonly sessions: SessionLookup;
}

/** A job in results of tools. */
export type JobLine = Omit<JobDescription, 'owner'> & { readonly owner: string };

/** Converts a job for the result of a tool. */
function jobLine({ owner, ...job }: JobDescription): JobLine {
  return { ...job, owner: owner.id };
}
