import { lockFileName } from '../../../catalog/lock/lock-types.ts';
import type { ServerLockStatus } from '../../../config/lock/lock-status.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { CliError } from '../../cli-error.ts';
import { oneLine } from '../../terminal/escape.ts';
import { runnable } from '../../terminal/invocation.ts';
import { type Printer, printJson } from '../../terminal/terminal.ts';
import { addAcceptCommand } from './accept.ts';
import type { ServerComparison } from './compare-servers.ts';
import { diffLines } from './server-diff-lines.ts';
import type { Command } from 'commander';

/** `signalbox lock`: locks the tool definitions of servers that are not locked yet. */
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
      const [{ compareServers, withAccepted }, { lockFile }, { openTrust }] = await Promise.all([
        import('./compare-servers.ts'),
        import('../../../config/lock/lock-file.ts'),
        import('../../../host/open-trust.ts'),
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
        const lines = items.map((item) => `${terminal.output.colors.bold(item.server)} ${describeStatus(item)}`);
        const end = isWritten ? `written to ${shortPath(file)}` : 'nothing to lock';
        await terminal.output.print(`${[...lines, end].join('\n')}\n`);
      }
      if (items.some(({ status }) => status === 'changed' || status === 'down' || status === 'missing')) exitWith(1);
    });
  addCheckCommand(lock, context);
  addDiffCommand(lock, context);
  addAcceptCommand(lock, context);
}

type Item = Omit<ServerLockStatus, 'status'> & { readonly status: ServerLockStatus['status'] | 'pinned' };

function describeStatus({ server, status, tools, reason = 'no response' }: Item): string {
  const count = pluralize(tools, 'tool');
  switch (status) {
    case 'pinned':
      return `is locked, ${count}`;
    case 'unchanged':
      return `is already locked, ${count}`;
    case 'unlocked':
      return 'is not locked';
    case 'disabled':
      return 'is disabled; its entry stays';
    case 'down':
      return `is down; its entry stays: ${oneLine(reason)}`;
    case 'changed':
      return `has changed; its entry stays; signalbox lock diff ${server} shows the changes, signalbox lock accept ${server} accepts them`;
    case 'missing':
      return `is in ${lockFileName} but not in the configuration; signalbox lock accept ${server} removes it`;
  }
}

/** Adds `lock check`, which compares all servers with the lock. */
function addCheckCommand(lock: Command, { terminal: { output, errors }, exitWith }: CommandContext): void {
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
      const ok = !statuses.some(isFailing);
      if (globals.json) await printJson(output, { ok, items: statuses });
      else await output.print(`${statuses.flatMap((lockStatus) => statusLines(lockStatus, output)).join('\n')}\n`);
      if (!ok) exitWith(1);
    });
}

/** Throws `lock-missing` without a lock file. */
function assertLocked({ lock, directory }: ServerComparison): void {
  if (lock === undefined)
    throw new CliError(1, 'lock-missing', `no ${lockFileName} in ${directory}`, { next: 'signalbox lock' });
}

/** Returns whether the check fails. A disabled server passes, because it cannot be called. A server that is down cannot be compared. */
function isFailing({ status }: ServerLockStatus): boolean {
  return status === 'changed' || status === 'missing' || status === 'down';
}

function statusLines(lockStatus: ServerLockStatus, printer: Printer): string[] {
  const { colors } = printer;
  const { server, status, isLocked, diff, reason = 'no response' } = lockStatus;
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
        `  ${colors.dim('next:')} ${runnable(`signalbox lock accept ${server}`)} removes it from the lock`,
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
      return [`${colors.yellow('unlocked')} ${name} is not in ${lockFileName}; signalbox lock adds it`];
  }
}

/** Adds `lock diff`, which shows the changes since the servers were locked or pinned. */
function addDiffCommand(lock: Command, { terminal: { output, errors } }: CommandContext): void {
  lock
    .command('diff')
    .summary('show changes since the servers were locked or pinned')
    .description(
      `Shows how servers differ from ${lockFileName} or, for servers without a lock, from their pinned definitions: new, removed and changed tools, with each change.`,
    )
    .argument('[server]', 'only this server')
    .action(async (server: string | undefined, _options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      const { compareServers, noSuchServer } = await import('./compare-servers.ts');
      const comparison = await compareServers(globals, errors);
      const items = comparison.statuses.filter((lockStatus) => server === undefined || lockStatus.server === server);
      if (server !== undefined && items.length === 0) throw noSuchServer(server, comparison.statuses);
      for (const { server: name, status, reason } of items)
        if (status === 'down' && !globals.json)
          await errors.print(`${name} is down and cannot be compared: ${oneLine(reason ?? 'no response')}\n`);
      if (globals.json) return printJson(output, { items });
      const lines = items.flatMap(({ server: name, diff }) =>
        diff === undefined ? [] : [output.colors.bold(name), ...diffLines(diff, output)],
      );
      await output.print(lines.length === 0 ? 'nothing changed\n' : `${lines.join('\n')}\n`);
    });
}
