import type { Command } from 'commander';
import type { AccessToken } from '../../access/access-tokens.ts';
import { withReadRecords } from '../approvals/open-inbox.ts';
import type { CommandContext } from '../command-context.ts';
import { globalsOf } from '../globals.ts';
import { localTime } from '../local-time.ts';
import { printJson } from '../print-json.ts';
import { oneLine } from '../printable.ts';
import { Table } from '../table.ts';

const columns = ['ID', 'ROLE', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED', 'PROFILE', 'NAME'].map((heading) => ({
  heading,
}));

/** `signalbox token list`. */
export function addListTokensCommand(token: Command, { terminal: { output } }: CommandContext): void {
  token
    .command('list')
    .summary('list the tokens, without their values')
    .description(
      'Lists the created tokens, newest first. The list does not include the admin token of the data directory.',
    )
    .action(async (_options: object, command: Command) => {
      const globals = globalsOf(command);
      await withReadRecords(globals, async ({ tokens }) => {
        const items = await tokens.list();
        if (globals.json) return printJson(output, { items });
        if (items.length === 0) return output.print('no tokens; signalbox token create --role agent makes one\n');
        const rows = items.map((item) => cells(item));
        return output.print(new Table(columns, rows, output.width).text(rows, output.colors.bold));
      });
    });
}

function cells({ id, role, state, createdAt, expiresAt, lastUsedAt, profile, name }: AccessToken): string[] {
  const when = (moment: string | undefined, otherwise: string): string =>
    moment === undefined ? otherwise : localTime(moment);
  return [
    id,
    role,
    state,
    localTime(createdAt),
    when(expiresAt, 'never'),
    when(lastUsedAt, 'never'),
    oneLine(profile ?? ''),
    oneLine(name ?? ''),
  ];
}
