import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { globalsOf } from '../globals.ts';
import { localUser } from '../../access/local-user.ts';
import { printJson } from '../print-json.ts';
import { oneLine } from '../printable.ts';
import { approvalBy, withRecords } from './open-inbox.ts';

/** `signalbox deny`: a human's no. */
export function addDenyCommand(program: Command, { terminal: { output } }: CommandContext): void {
  program
    .command('deny')
    .summary('say no to one exact call')
    .description('Refuses one call. Calls that wait are told now, otherwise the next one is; after that it asks again.')
    .argument('<id>', 'its id, as signalbox approvals prints it, or the beginning of it')
    .option('--reason <text>', 'told to whoever made the call')
    .action(async (prefix: string, { reason }: { reason?: string }, command: Command) => {
      const globals = globalsOf(command);
      await withRecords(globals, async (box) => {
        const { id } = await approvalBy(box, prefix);
        const approval = await box.approvals.deny(id, { by: localUser(), ...(reason === undefined ? {} : { reason }) });
        if (globals.json) return printJson(output, approval);
        await output.print(
          `${output.colors.yellow('denied')} ${oneLine(`${approval.tool} ${JSON.stringify(approval.arguments)}`)}\n`,
        );
      });
    });
}
