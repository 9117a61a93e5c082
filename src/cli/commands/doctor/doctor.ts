import type { Command } from 'commander';
import { pluralize } from '../../../core/text/pluralize.ts';
import { readRunFiles } from '../../../host/daemon/run-files.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { runnable } from '../../terminal/invocation.ts';
import { type Printer, printJson } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/escape.ts';
import { ProgressLine, startingServersMessage } from '../../terminal/progress-line.ts';
import { isConfigurationOf, withConfigurationOfServer } from '../../client/connect-to-server.ts';
import { type RunningServerStatus, fetchRunningServerStatus } from '../../client/running-server-status.ts';
import { checkData } from './check-data.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** `signalbox doctor`: checks everything that a call depends on. */
export function addDoctorCommand(program: Command, { terminal, exitWith }: CommandContext): void {
  program
    .command('doctor')
    .summary('check runtime, configuration, journal, running server, servers, agents and secrets')
    .description(
      'Checks everything that a call depends on, and prints a fix with each finding. Exits with 1 when something is wrong.',
    )
    .action(async (_options: object, command: Command) => {
      const options = readGlobalOptions(command);
      const globals = withConfigurationOfServer(options);
      const { checkConfiguration } = await import('./check-configuration.ts');
      const { checkSecrets } = await import('./check-secrets.ts');
      const { checkAgents } = await import('./check-agents.ts');
      const { checkServers } = await import('./check-servers.ts');
      const { findings, configuration } = await checkConfiguration(globals);
      const line = new ProgressLine(terminal.errors);
      const { data } = globals;
      const running = await line.during('checking the running server', () => checkRunning(options));
      const servers =
        configuration === undefined
          ? []
          : await line.during(startingServersMessage(configuration), () => checkServers(configuration, data));
      const items = [
        ...checkRuntime(),
        ...findings,
        ...(await line.during('reading the journal', () => checkData(globals, configuration?.store))),
        ...running.filter(({ what }) => !servers.some((own) => own.level === 'error' && isSameProblem(what, own.what))),
        ...(await checkSecrets(configuration, data)),
        ...(configuration === undefined
          ? []
          : [...servers, ...(await line.during('checking the agents', () => checkAgents(configuration, data)))]),
      ];
      if (globals.json) await printJson(terminal.output, { items });
      else await printFindings(terminal.output, items);
      if (items.some((finding) => finding.level === 'error')) exitWith(1);
    });
}

/** Returns whether a server that is down for the running server is down for this check too, which then reports it with its output. */
function isSameProblem(running: string, own: string): boolean {
  const [name] = /server "[^"]*" is down/.exec(running) ?? [];
  return name !== undefined && own.includes(name);
}

async function printFindings(printer: Printer, findings: readonly Finding[]): Promise<void> {
  const { colors } = printer;
  const marks = { ok: colors.green('ok     '), warning: colors.yellow('warning'), error: colors.red('error  ') };
  const lines = findings.flatMap(({ level, what, fix }) => [
    `${marks[level]}  ${printable(what)}`,
    ...(fix === undefined ? [] : [`         ${colors.dim('fix:')} ${runnable(fix)}`]),
  ]);
  const count = (level: Finding['level']): number => findings.filter((finding) => finding.level === level).length;
  lines.push('', `${pluralize(count('error'), 'error')}, ${pluralize(count('warning'), 'warning')}, ${count('ok')} ok`);
  await printer.print(`${lines.join('\n')}\n`);
}

const minNodeVersion = '22.18.0';
/** Earlier versions can corrupt a database in WAL mode when two connections reset the log at the same time. */
const minSqliteVersion = '3.51.3';

/** Checks the versions of Node and of its SQLite. */
export function checkRuntime(
  { node, sqlite }: { readonly node: string; readonly sqlite?: string } = process.versions,
): Finding[] {
  return [checkNode(node), checkSqlite(sqlite)];
}

function checkNode(version: string): Finding {
  if (isAtLeast(version, minNodeVersion)) return ok(`Node ${version}`);
  const what = `Node ${version} is too old, ${minNodeVersion} is needed`;
  return problem(what, 'install a newer Node from https://nodejs.org');
}

function checkSqlite(version: string | undefined): Finding {
  if (version === undefined) return problem('this Node has no SQLite', 'install Node from https://nodejs.org');
  if (isAtLeast(version, minSqliteVersion)) return ok(`SQLite ${version}`);
  return warning(
    `SQLite ${version} has a bug that can damage the journal when several processes write to it (fixed in ${minSqliteVersion})`,
    'update Node, which brings SQLite',
  );
}

function isAtLeast(version: string, wanted: string): boolean {
  return version.localeCompare(wanted, 'en', { numeric: true }) >= 0;
}

/** Checks the health of the servers that run on the data directory, since commands talk to them. */
async function checkRunning(globals: GlobalOptions): Promise<Finding[]> {
  if (globals.local) return [];
  const statuses = await Promise.all(readRunFiles(globals.data).map((server) => fetchRunningServerStatus(server)));
  return statuses.flatMap((status) => findingsOf(status, globals));
}

function findingsOf(server: RunningServerStatus, globals: GlobalOptions): Finding[] {
  const { url, pid, status, problem: reason = status, configuration, tools = 0, servers = [] } = server;
  const what = `server at ${url} (process ${pid})`;
  if (status !== 'ok') return [problem(`${what}: ${reason}`, 'check its output, or restart it')];
  if (configuration !== undefined && !isConfigurationOf(globals, configuration)) {
    const shown = shortPath(configuration);
    return [warning(`${what} runs ${shown}, so commands here work without it`, `add --config ${shown} to talk to it`)];
  }
  const down = servers.filter((behind) => behind.status === 'down');
  return [
    ok(`${what} is ready and offers ${pluralize(tools, 'tool')}; commands go to it`),
    ...down.map((behind) =>
      problem(`at ${url}: ${behind.reason ?? `server "${behind.name}" is down`}`, 'see why: signalbox tools --why'),
    ),
  ];
}
