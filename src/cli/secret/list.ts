import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { globalsOf } from '../globals.ts';
import { shortPath } from '../../host/data-directory.ts';
import { printJson } from '../print-json.ts';
import { oneLine } from '../printable.ts';
import { Table } from '../table.ts';

/** `signalbox secret list`. */
export function addListCommand(secret: Command, { terminal: { output } }: CommandContext): void {
  secret
    .command('list')
    .summary('list the names of stored secrets')
    .description(
      'Lists the stored secrets by name, with the place of each key (keychain, file or environment) and the configurations that may use it.',
    )
    .action(async (_options: object, command: Command) => {
      const { data, json } = globalsOf(command);
      const { openVault } = await import('../../host/secrets/open-vault.ts');
      const { TrustRecords } = await import('../../config/trust/trust-records.ts');
      const records = new TrustRecords(data).list();
      const items = (await openVault(data).list()).map((stored) => ({
        ...stored,
        grantedTo: records.filter(({ secrets }) => secrets.includes(stored.name)).map(({ file }) => file),
      }));
      if (json) return printJson(output, { items });
      if (items.length === 0) return output.print('no secrets are stored; signalbox secret set NAME stores one\n');
      const rows = items.map(({ name, store, grantedTo }) => [
        name,
        store,
        grantedTo.length === 0 ? 'none' : grantedTo.map((file) => oneLine(shortPath(file))).join(', '),
      ]);
      const columns = [{ heading: 'NAME' }, { heading: 'KEY IN' }, { heading: 'GRANTED TO' }];
      const table = new Table(columns, rows, output.width);
      const lines = [output.colors.bold(table.heading()), ...rows.map((row) => table.row(row))];
      return output.print(`${lines.join('\n')}\n`);
    });
}
