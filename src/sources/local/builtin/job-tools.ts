import * as z from 'zod';
import { type OwnTool, defineTool } from '../define-tool.ts';
import { createJob, undoCreateJob } from './create-job.ts';
import { deleteJob, undoDeleteJob } from './delete-job.ts';
import type { JobDependencies } from './job-book.ts';
import { listJobs } from './list-jobs.ts';

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
