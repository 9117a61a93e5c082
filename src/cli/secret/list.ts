import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { globalsOf } from '../globals.ts';
import { printJson } from '../print-json.ts';
import { Table } from '../table.ts';

/** `signalbox secret list`. */
export function addListCommand(secret: Command, { terminal: { output } }: CommandContext): void {
  secret
    .command('list')
    .summary('the names of the secrets that are kept')
    .description(
      'Lists the names of the secrets that are kept, and where the key to each is: keychain, file or environment.',
    )
    .action(async (_options: object, command: Command) => {
      const { data, json } = globalsOf(command);
      const { secretVault } = await import('../../config/secrets/sealed-files.ts');
      const items = await secretVault({ data }).list();
      if (json) return printJson(output, { items });
      if (items.length === 0) return output.print('no secrets are kept; signalbox secret set NAME keeps one\n');
      const rows = items.map(({ name, store }) => [name, store]);
      const table = new Table([{ heading: 'NAME' }, { heading: 'KEY IN' }], rows, output.width);
      const lines = [output.colors.bold(table.heading()), ...rows.map((row) => table.row(row))];
      return output.print(`${lines.join('\n')}\n`);
    });
}
