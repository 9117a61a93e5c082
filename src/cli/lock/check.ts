import type { Command } from 'commander';
import { lockFileName } from '../../catalog/lock/lock-types.ts';
import type { ServerLockStatus } from '../../config/lock/lock-status.ts';
import type { CommandContext } from '../command-context.ts';
import { Failure } from '../fail.ts';
import { globalsOf } from '../globals.ts';
import { printJson } from '../print-json.ts';
import { runnable } from '../invocation.ts';
import { oneLine } from '../printable.ts';
import type { Printer } from '../terminal.ts';
import type { Looked } from './look-at-servers.ts';
import { diffLines } from './print-diff.ts';

/** `signalbox lock check`: is everything what was accepted? */
export function addCheckCommand(lock: Command, { terminal: { output, errors }, exitWith }: CommandContext): void {
  lock
    .command('check')
    .summary('exit with 1 when a server differs from the lock')
    .description(
      `Compares all servers with ${lockFileName}. Exits with 1 when a server has changed or cannot be reached.`,
    )
    .action(async (_options: object, command: Command) => {
      const globals = globalsOf(command);
      const { lookAtServers } = await import('./look-at-servers.ts');
      const looked = await lookAtServers(globals, errors);
      assertLocked(looked);
      const { standings } = looked;
      const ok = !standings.some(isWrong);
      if (globals.json) await printJson(output, { ok, items: standings });
      else await output.print(`${standings.flatMap((standing) => lines(standing, output)).join('\n')}\n`);
      if (!ok) exitWith(1);
    });
}

/** Without a lock there is nothing to compare with. */
function assertLocked({ lock, directory }: Looked): void {
  if (lock === undefined)
    throw new Failure(1, 'lock-missing', `there is no ${lockFileName} in ${directory}`, { next: 'signalbox lock' });
}

/** What is disabled cannot be called; of what is down nobody knows what it will say. */
function isWrong({ status }: ServerLockStatus): boolean {
  return status === 'changed' || status === 'missing' || status === 'down';
}

function lines(standing: ServerLockStatus, printer: Printer): string[] {
  const { colors } = printer;
  const { server, status, isLocked, diff, reason = 'it does not answer' } = standing;
  const name = colors.bold(server);
  switch (status) {
    case 'unchanged':
      return [`${colors.green('ok')} ${name}`];
    case 'changed':
      return [
        `${colors.red('changed')} ${name}`,
        ...(diff === undefined ? [] : diffLines(diff, printer)),
        `  ${colors.dim('next:')} ${runnable(`signalbox lock accept ${server}`)}`,
      ];
    case 'missing':
      return [
        `${colors.red('missing')} ${name} cannot be checked: it is not in the configuration`,
        `  ${colors.dim('next:')} ${runnable(`signalbox lock accept ${server}`)} takes it out of the lock`,
      ];
    case 'down':
      return [
        isLocked
          ? `${colors.red('down')} ${name} cannot be checked: ${oneLine(reason)}`
          : `${colors.red('down')} ${name} is not locked, and down: ${oneLine(reason)}`,
      ];
    case 'disabled':
      return [`${colors.dim('disabled')} ${name} is not checked`];
    case 'unlocked':
      return [`${colors.yellow('unlocked')} ${name} is not in ${lockFileName}; signalbox lock pins it`];
  }
}
