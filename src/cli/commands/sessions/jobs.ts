import { localUser } from '../../../access/local-user.ts';
import { SignalboxError } from '../../../core/errors.ts';
import type { Principal } from '../../../core/principal.ts';
import { loadHost } from '../../../host/load-host.ts';
import { type Job, type NewJob, toJob } from '../../../sessions/schedules/job.ts';
import type { Schedules } from '../../../sessions/schedules/schedules.ts';
import { connectToServer } from '../../client/connect-to-server.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { CliError } from '../../cli-error.ts';
import { findByIdPrefix, withReadRecords } from '../../open-records.ts';
import { oneLine } from '../../terminal/escape.ts';
import { printJson } from '../../terminal/terminal.ts';
import { type Column, Table } from '../../terminal/table.ts';
import { localTime } from '../../terminal/time.ts';
import type { Command } from 'commander';
import { resolve } from 'node:path';

type CreateOptions = Omit<NewJob, 'cron' | 'prompt'>;

/** `signalbox jobs`: manages scheduled jobs. Agents have the tools `create_job`, `list_jobs` and `delete_job` for that. */
export function addJobsCommand(program: Command, context: CommandContext): void {
  const { output, errors } = context.terminal;
  const jobs = program
    .command('jobs')
    .summary('list, create, delete or run scheduled jobs')
    .description(
      'Lists the jobs, oldest first. A job starts a session with an agent on a schedule, while a server runs on the data directory.',
    )
    .addHelpText('after', examples)
    .action(async (_options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      const items = await listJobs(globals);
      if (globals.json) return printJson(output, { items });
      if (items.length === 0) return errors.print('no jobs; signalbox jobs create creates one\n');
      await output.print(new Table(columns, items, output).text());
    });
  addCreateCommand(jobs, context);
  addDeleteCommand(jobs, context);
  addRunCommand(jobs, context);
}

const examples = `
Examples:
  signalbox jobs create "0 9 * * 1-5" "Summarize what failed yesterday." --agent claude
  signalbox jobs run job_01k4…        start a session now, outside its schedule
  signalbox jobs delete job_01k4…`;

function addCreateCommand(jobs: Command, { terminal: { output, errors } }: CommandContext): void {
  jobs
    .command('create')
    .summary('create a scheduled job')
    .description('Creates a job. Each run is a session of its own, in your name, in the permission mode of its agent.')
    .argument('<cron>', 'minute, hour, day of the month, month, day of the week, as in "0 9 * * 1-5"')
    .argument('<prompt>', 'the first message of its sessions')
    .option('--agent <name>', 'the agent that runs it (default: that of the configuration)')
    .option('--cwd <dir>', 'the directory that its sessions work in')
    .option('--timezone <name>', 'the time zone of the schedule, as in Europe/Berlin (default: that of the machine)')
    .action(async (cron: string, prompt: string, { cwd, ...options }: CreateOptions, command: Command) => {
      const globals = readGlobalOptions(command);
      const newJob: NewJob = { cron, prompt, ...options, ...(cwd === undefined ? {} : { cwd: resolve(cwd) }) };
      const server = await connectToServer(globals, errors);
      const job =
        server === undefined
          ? await withSchedules(globals, (schedules, owner) => schedules.create(newJob, owner))
          : await server.client.request<Job>('POST', '/api/jobs', { body: newJob });
      if (globals.json) return printJson(output, job);
      await output.print(`${output.colors.green('created')} ${job.id}; it runs next at ${localTime(job.nextAt)}\n`);
      if (server === undefined) await errors.print('no server runs: jobs run only while signalbox serve does\n');
    });
}

function addDeleteCommand(jobs: Command, { terminal: { output, errors } }: CommandContext): void {
  jobs
    .command('delete')
    .summary('delete a job')
    .description('Deletes a job. A session that it started continues.')
    .argument('<id>', 'the id, as signalbox jobs prints it, or its beginning')
    .action(async (prefix: string, _options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      const job = await findJob(globals, prefix);
      const server = await connectToServer(globals, errors);
      if (server === undefined) await withSchedules(globals, (schedules) => schedules.delete(job.id));
      else await server.client.request('DELETE', `/api/jobs/${encodeURIComponent(job.id)}`);
      if (globals.json) return printJson(output, job);
      await output.print(`${output.colors.yellow('deleted')} ${job.id} ${oneLine(job.prompt)}\n`);
    });
}

function addRunCommand(jobs: Command, { terminal: { output, errors } }: CommandContext): void {
  jobs
    .command('run')
    .summary('run a job now')
    .description('Starts a session of a job in the running server now, outside its schedule.')
    .argument('<id>', 'the id, as signalbox jobs prints it, or its beginning')
    .action(async (prefix: string, _options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      const { id } = await findJob(globals, prefix);
      const server = await connectToServer(globals, errors);
      if (server === undefined)
        throw new CliError(1, 'server-absent', 'cannot start the session: no server runs on this data directory', {
          next: 'signalbox serve',
        });
      const job = await server.client.request<Job>('POST', `/api/jobs/${encodeURIComponent(id)}/run`);
      if (job.lastError !== undefined)
        throw new CliError(1, 'job-not-run', `${id}: ${job.lastError}`, { data: { job }, next: 'signalbox jobs' });
      if (globals.json) return printJson(output, job);
      await output.print(`${output.colors.green('started')} session ${job.lastSession ?? ''} of ${id}\n`);
    });
}

/** Lists jobs from the store, which a running server shares. */
async function listJobs(globals: GlobalOptions): Promise<readonly Job[]> {
  return await withReadRecords(globals, async ({ jobs }) => (await jobs.list()).map(toJob));
}

async function findJob(globals: GlobalOptions, prefix: string): Promise<Job> {
  const job = findByIdPrefix(await listJobs(globals), prefix, 'job_');
  if (job === undefined) throw new SignalboxError('job-unknown', `no job id begins with ${JSON.stringify(prefix)}`);
  return job;
}

const columns: readonly Column<Job>[] = [
  { heading: 'ID', cell: ({ id }) => id },
  { heading: 'TIMES', cell: ({ cron }) => oneLine(cron) },
  { heading: 'NEXT', cell: ({ nextAt }) => localTime(nextAt) },
  { heading: 'AGENT', cell: ({ agent = '' }) => oneLine(agent), optional: true },
  { heading: 'OWNER', cell: ({ owner }) => oneLine(owner.id), optional: true },
  { heading: 'LAST', cell: ({ lastError, lastSession = '' }) => oneLine(lastError ?? lastSession), optional: true },
  { heading: 'PROMPT', cell: ({ prompt }) => oneLine(prompt) },
];

/** Opens the schedules of the configuration in this process, passes them to `use`, and closes them. Runs no jobs. */
async function withSchedules<Result>(
  globals: GlobalOptions,
  use: (schedules: Schedules, owner: Principal) => Promise<Result>,
): Promise<Result> {
  const { openConfiguredBox, readConfiguration } = await loadHost();
  const { openSessions, openSchedules } = await import('../../../host/daemon/open-sessions.ts');
  const { configuration } = readConfiguration(globals);
  const { data } = globals;
  const configured = await openConfiguredBox({ ...configuration, servers: [] }, { data, secretsFrom: data });
  try {
    const sessions = await openSessions(configured, { turnsAtOnce: 0 });
    const schedules = openSchedules(configured.box, sessions, { runs: false });
    try {
      return await use(schedules, localUser());
    } finally {
      await schedules.close();
      await sessions.close();
    }
  } finally {
    await configured.close();
  }
}
