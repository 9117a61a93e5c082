import type { Command } from 'commander';
import { lockFileName } from '../../catalog/lock/lock-types.ts';
import type { CommandContext } from '../command-context.ts';
import { globalsOf } from '../globals.ts';
import { printJson } from '../print-json.ts';
import { oneLine } from '../printable.ts';
import { diffLines } from './print-diff.ts';

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
      const globals = globalsOf(command);
      const { lookAtServers, unknownServer } = await import('./look-at-servers.ts');
      const looked = await lookAtServers(globals, errors);
      const items = looked.standings.filter((standing) => server === undefined || standing.server === server);
      if (server !== undefined && items.length === 0) throw unknownServer(server, looked.standings);
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
