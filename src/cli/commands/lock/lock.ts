import { lockFileName } from '../../../catalog/lock/lock-types.ts';
import type { ServerLockStatus } from '../../../config/lock/lock-status.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { shortPath } from '../../../host/data-directory.ts';
import type { CommandContext } from '../../command-context.ts';
import { Failure } from '../../failure.ts';
import { readGlobalOptions } from '../../global-options.ts';
import { oneLine } from '../../terminal/escape.ts';
import { runnable } from '../../terminal/invocation.ts';
import { type Printer, printJson } from '../../terminal/terminal.ts';
import { addAcceptCommand } from './accept.ts';
import type { ServerComparison } from './compare-servers.ts';
import { diffLines } from './diff-lines.ts';
import type { Command } from 'commander';

/** `signalbox lock`: pins the tools of servers that are not pinned yet. */
export function addLockCommand(program: Command, context: CommandContext): void {
  const { terminal, exitWith } = context;
  const lock = program
    .command('lock')
    .summary('lock tool definitions, and review changes to them')
    .description(
      `Writes the tool definitions of each server to ${lockFileName}, next to the configuration. From then on, a tool whose definition differs from the lock is hidden until you accept the change. Entries of servers that are already locked stay as they are. Without a lock, Signalbox pins definitions in its records when it first sees them, and calls of changed tools ask.`,
    )
    .action(async (_options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      const [{ compareServers }, { lockFile }, { withAccepted }, { openTrust }] = await Promise.all([
        import('./compare-servers.ts'),
        import('../../../config/lock/lock-file.ts'),
        import('./compare-servers.ts'),
        import('../../../host/trust.ts'),
      ]);
      const comparison = await compareServers(globals, terminal.errors);
      const servers = new Map(comparison.lock?.servers);
      const items = comparison.statuses.map((lockStatus) => {
        const now = lockStatus.status === 'unlocked' ? comparison.now.servers.get(lockStatus.server) : undefined;
        if (now === undefined) return lockStatus;
        servers.set(lockStatus.server, now);
        return { ...lockStatus, status: 'pinned' as const, isLocked: true };
      });
      const file = lockFile(comparison.directory);
      const pinned = items.filter(({ status }) => status === 'pinned');
      const isWritten = pinned.length > 0;
      if (isWritten)
        await withAccepted({ store: comparison.store, data: globals.data }, async (changes) => {
          for (const { server } of pinned) await changes.accept(server, comparison.file, servers.get(server));
          changes.writeFile(comparison.directory, { servers });
          openTrust(globals.data).acceptLock(comparison.configuration.file);
        });
      if (globals.json) await printJson(terminal.output, { file, isWritten, items });
      else {
        const lines = items.map((item) => `${terminal.output.colors.bold(item.server)} ${told(item)}`);
        const end = isWritten ? `written to ${shortPath(file)}` : 'nothing to pin';
        await terminal.output.print(`${[...lines, end].join('\n')}\n`);
      }
      if (items.some(({ status }) => status === 'changed' || status === 'down' || status === 'missing')) exitWith(1);
    });
  addCheckCommand(lock, context);
  addDiffCommand(lock, context);
  addAcceptCommand(lock, context);
}

type Item = Omit<ServerLockStatus, 'status'> & { readonly status: ServerLockStatus['status'] | 'pinned' };

function told({ server, status, tools, reason = 'it does not answer' }: Item): string {
  const count = pluralize(tools, 'tool');
  switch (status) {
    case 'pinned':
      return `is pinned, ${count}`;
    case 'unchanged':
      return `is pinned already, ${count}`;
    case 'unlocked':
      return 'is not pinned';
    case 'disabled':
      return 'is disabled and left as it was';
    case 'down':
      return `is down and left as it was: ${oneLine(reason)}`;
    case 'changed':
      return `has changed and is left as it was; signalbox lock diff ${server} shows it, signalbox lock accept ${server} takes it`;
    case 'missing':
      return `is in ${lockFileName} but not in the configuration; signalbox lock accept ${server} takes it out`;
  }
}

/** `signalbox lock check`: is everything what was accepted? */
export function addCheckCommand(lock: Command, { terminal: { output, errors }, exitWith }: CommandContext): void {
  lock
    .command('check')
    .summary('exit with 1 when a server differs from the lock')
    .description(
      `Compares all servers with ${lockFileName}. Exits with 1 when a server has changed or cannot be reached.`,
    )
    .action(async (_options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      const { compareServers } = await import('./compare-servers.ts');
      const comparison = await compareServers(globals, errors);
      assertLocked(comparison);
      const { statuses } = comparison;
      const ok = !statuses.some(isWrong);
      if (globals.json) await printJson(output, { ok, items: statuses });
      else await output.print(`${statuses.flatMap((lockStatus) => lines(lockStatus, output)).join('\n')}\n`);
      if (!ok) exitWith(1);
    });
}

/** Without a lock there is nothing to compare with. */
function assertLocked({ lock, directory }: ServerComparison): void {
  if (lock === undefined)
    throw new Failure(1, 'lock-missing', `there is no ${lockFileName} in ${directory}`, { next: 'signalbox lock' });
}

/** What is disabled cannot be called; of what is down nobody knows what it will say. */
function isWrong({ status }: ServerLockStatus): boolean {
  return status === 'changed' || status === 'missing' || status === 'down';
}

function lines(lockStatus: ServerLockStatus, printer: Printer): string[] {
  const { colors } = printer;
  const { server, status, isLocked, diff, reason = 'it does not answer' } = lockStatus;
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

/** `signalbox lock diff`: what changed. */
export function addDiffCommand(lock: Command, { terminal: { output, errors } }: CommandContext): void {
  lock
    .command('diff')
    .summary('show changes since the servers were locked or pinned')
    .description(
      `Shows how servers differ from ${lockFileName} or, for servers without a lock, from their pinned definitions: new, removed and changed tools, with each change.`,
    )
    .argument('[server]', 'only this server')
    .action(async (server: string | undefined, _options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      const { compareServers, unknownServer } = await import('./compare-servers.ts');
      const comparison = await compareServers(globals, errors);
      const items = comparison.statuses.filter((lockStatus) => server === undefined || lockStatus.server === server);
      if (server !== undefined && items.length === 0) throw unknownServer(server, comparison.statuses);
      for (const { server: name, status, reason } of items)
        if (status === 'down' && !globals.json)
          await errors.print(`${name} is down and cannot be compared: ${oneLine(reason ?? 'it does not answer')}\n`);
      if (globals.json) return printJson(output, { items });
      const lines = items.flatMap(({ server: name, diff }) =>
        diff === undefined ? [] : [output.colors.bold(name), ...diffLines(diff, output)],
      );
      await output.print(lines.length === 0 ? 'nothing changed\n' : `${lines.join('\n')}\n`);
    });
}
