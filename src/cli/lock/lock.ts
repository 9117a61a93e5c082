import type { Command } from 'commander';
import { lockFileName } from '../../catalog/lock/lock-types.ts';
import type { ServerLockStatus } from '../../config/lock/lock-status.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import type { CommandContext } from '../command-context.ts';
import { globalsOf } from '../globals.ts';
import { shortPath } from '../../host/data-directory.ts';
import { printJson } from '../print-json.ts';
import { oneLine } from '../printable.ts';
import { addAcceptCommand } from './accept.ts';
import { addCheckCommand } from './check.ts';
import { addDiffCommand } from './diff.ts';

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
      const globals = globalsOf(command);
      const [{ lookAtServers }, { lockFile }, { withAccepted }] = await Promise.all([
        import('./look-at-servers.ts'),
        import('../../config/lock/lock-file.ts'),
        import('./with-accepted.ts'),
      ]);
      const looked = await lookAtServers(globals, terminal.errors);
      const servers = new Map(looked.lock?.servers);
      const items = looked.standings.map((standing) => {
        const now = standing.status === 'unlocked' ? looked.now.servers.get(standing.server) : undefined;
        if (now === undefined) return standing;
        servers.set(standing.server, now);
        return { ...standing, status: 'pinned' as const, isLocked: true };
      });
      const file = lockFile(looked.directory);
      const pinned = items.filter(({ status }) => status === 'pinned');
      const isWritten = pinned.length > 0;
      if (isWritten)
        await withAccepted({ store: looked.store, data: globals.data }, async (changes) => {
          for (const { server } of pinned) await changes.accept(server, looked.file, servers.get(server));
          changes.writeFile(looked.directory, { servers });
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
