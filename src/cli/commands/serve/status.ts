import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { CallCounts } from '../../../journal/queries/statistics.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { withReadRecords } from '../../open-records.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { formatDuration } from '../../terminal/time.ts';
import { journalFile, shortPath } from '../../../host/data-directory.ts';
import { runnable } from '../../terminal/invocation.ts';
import { configuredStore } from '../../../host/store/open-store.ts';
import { type Printer, printJson } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/escape.ts';
import { readRunFiles } from '../../../host/daemon/run-files.ts';
import { withConfigurationOfServer } from '../../client/connect-to-server.ts';
import { type RunningServerStatus, fetchRunningServerStatus } from '../../client/running-server-status.ts';

/** A summary of the records: now and the last hour. */
interface RecordsSummary {
  readonly location: string;
  /** The number of pending approvals. */
  readonly waiting: number;
  readonly sessions: { readonly all: number; readonly active: number };
  readonly lastHour: CallCounts;
}

const hourMs = 3_600_000;
const maxActiveSessions = 1000;

/** `signalbox status`: shows the running servers, and what waits for an answer. */
export function addStatusCommand(program: Command, { terminal, exitWith }: CommandContext): void {
  program
    .command('status')
    .summary('show the running server, servers that are down, and waiting questions')
    .description(
      'Shows whether a server runs on this data directory and is ready, its address and configuration, the state of the servers behind it, questions that wait for an answer, and the outcomes of the last hour. Exits with 1 when no server is ready.',
    )
    .action(async (_options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      const running = await Promise.all(readRunFiles(globals.data).map((server) => fetchRunningServerStatus(server)));
      const records = await summarizeRecords(withConfigurationOfServer(globals));
      if (!running.some(({ status }) => status === 'ok')) exitWith(1);
      if (globals.json) return printJson(terminal.output, { running, records });
      await terminal.output.print(text(running, records, globals, terminal.output));
    });
}

/** Summarizes the records; `undefined` when none exist. */
async function summarizeRecords(globals: GlobalOptions): Promise<RecordsSummary | undefined> {
  if ((await configuredStore(globals)) === 'sqlite' && !existsSync(journalFile(globals))) return undefined;
  return await withReadRecords(globals, async ({ approvals: inbox, sessions, journal }) => {
    const until = Date.now();
    const [approvals, all, active, { total }] = await Promise.all([
      inbox.page({ state: 'pending', limit: 1 }),
      sessions.count(),
      sessions.select({ limit: maxActiveSessions, active: true }),
      journal.statistics({ since: until - hourMs, until, bucketMs: hourMs }),
    ]);
    return {
      location: journal.location,
      waiting: approvals.total,
      sessions: { all, active: active.length },
      lastHour: total,
    };
  });
}

function text(
  running: readonly RunningServerStatus[],
  records: RecordsSummary | undefined,
  { data }: GlobalOptions,
  { colors }: Printer,
): string {
  const lines = running.flatMap((server) => serverLines(server, colors));
  if (running.length === 0)
    lines.push(
      `${colors.yellow('not running')}   no server runs on ${shortPath(data)}   →  ${runnable('signalbox serve')}`,
    );
  if (records === undefined) return `${lines.join('\n')}\n`;
  const { location, waiting, sessions, lastHour } = records;
  const asked = waiting === 0 ? 'no calls wait for approval' : `${calls(waiting)} for your answer`;
  const questions = running.reduce((sum, server) => sum + (server.questions ?? 0), 0);
  const rows: readonly (readonly [string, string])[] = [
    ['Approvals', waiting === 0 ? asked : `${colors.yellow(asked)}   →  ${runnable('signalbox approvals')}`],
    ...(questions === 0
      ? []
      : [
          [
            'Questions',
            `${colors.yellow(pluralize(questions, 'question'))} of servers   →  ${runnable('signalbox elicitations')}`,
          ] as const,
        ]),
    [
      'Sessions',
      `${sessions.all}${sessions.active === 0 ? '' : ` · ${sessions.active} with a turn that runs or waits`}`,
    ],
    ['Last hour', outcomes(lastHour)],
    ['Journal', shortPath(location)],
  ];
  return `${[...lines, ...rows.map(([name, value]) => row(name, value))].join('\n')}\n`;
}

function serverLines(server: RunningServerStatus, colors: Printer['colors']): string[] {
  const state = server.status === 'ok' ? colors.green('ready') : colors.red(server.status);
  const why = server.problem === undefined ? '' : ` (${printable(server.problem)})`;
  const since = formatDuration(Math.max(0, Date.now() - Date.parse(server.startedAt)));
  const { servers = [], tools, configuration, refused = [] } = server;
  const down = servers.filter(({ status }) => status === 'down');
  const up = servers.filter(({ status }) => status === 'up').length;
  const starting = servers.filter(({ status }) => status === 'starting').length;
  const counts = [`${up} up`, ...(starting === 0 ? [] : [`${starting} starting`]), `${down.length} down`].join(', ');
  return [
    `${state}${why}   ${server.url}   for ${since}, process ${server.pid}`,
    ...(configuration === undefined ? [] : [row('Config', configurationLine(configuration))]),
    ...(refused.length === 0
      ? []
      : [
          row('', colors.yellow('the changed configuration is not used; the running configuration stays')),
          ...refused.map((detail) => row('', `  ${printable(detail)}`)),
        ]),
    ...(tools === undefined ? [] : [row('Servers', `${counts} · ${pluralize(tools, 'tool')}`)]),
    ...down.map(({ name, reason = '' }) => {
      const short = reason.replace(`server "${name}" is down: `, '');
      return row('', `${colors.red('down')} ${name}: ${printable(short)}`);
    }),
  ];
}

/** Formats the path of the configuration. A server without a configuration file reports the path at which it would read one. */
function configurationLine(file: string): string {
  return existsSync(file) ? printable(shortPath(file)) : `none (${printable(shortPath(file))} does not exist)`;
}

function row(name: string, value: string): string {
  return `  ${name.padEnd(10)} ${value}`;
}

function calls(waiting: number): string {
  return waiting === 1 ? '1 call waits' : `${waiting} calls wait`;
}

function outcomes({ calls: ended, outcomes: byOutcome }: CallCounts): string {
  const parts = Object.entries(byOutcome).map(([outcome, count]) => `${count} ${outcome}`);
  return parts.length === 0 ? 'no calls' : `${pluralize(ended, 'call')}: ${parts.join(', ')}`;
}
