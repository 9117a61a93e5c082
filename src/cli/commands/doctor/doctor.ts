import type { Command } from 'commander';
import { pluralize } from '../../../core/text/pluralize.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { runnable } from '../../terminal/invocation.ts';
import { type Printer, printJson } from '../../terminal/terminal.ts';
import { printable } from '../../terminal/escape.ts';
import { ProgressLine, startingServersMessage } from '../../terminal/progress-line.ts';
import { withConfigurationOfServer } from '../../client/connect-to-server.ts';
import { checkData } from './check-data.ts';
import { checkRunning } from './check-running.ts';
import { checkRuntime } from './check-runtime.ts';
import type { Finding } from './finding.ts';

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
      const items = [
        ...checkRuntime(),
        ...findings,
        ...(await line.during('reading the journal', () => checkData(globals, configuration?.store))),
        ...(await line.during('checking the running server', () => checkRunning(options))),
        ...(await checkSecrets(configuration, data)),
        ...(configuration === undefined
          ? []
          : [
              ...(await line.during(startingServersMessage(configuration), () => checkServers(configuration, data))),
              ...(await line.during('checking the agents', () => checkAgents(configuration, data))),
            ]),
      ];
      if (globals.json) await printJson(terminal.output, { items });
      else await printFindings(terminal.output, items);
      if (items.some((finding) => finding.level === 'error')) exitWith(1);
    });
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
