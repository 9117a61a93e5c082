import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { globalsOf } from '../globals.ts';
import { localUser } from '../../access/local-user.ts';
import { printJson } from '../print-json.ts';
import { exactLine } from '../printable.ts';
import { approvalBy, withRecords } from './open-inbox.ts';

/** `signalbox deny`: a human's no. */
export function addDenyCommand(program: Command, { terminal: { output } }: CommandContext): void {
  program
    .command('deny')
    .summary('deny one exact call')
    .description(
      'Denies one call. Waiting calls end now; if none waits, the next one is denied. After that, the call asks again.',
    )
    .argument('<id>', 'the id, as signalbox approvals prints it, or its beginning')
    .option('--reason <text>', 'the reason, which the caller gets')
    .action(async (prefix: string, { reason }: { reason?: string }, command: Command) => {
      const globals = globalsOf(command);
      await withRecords(globals, async (box) => {
        const { id } = await approvalBy(box, prefix);
        const approval = await box.approvals.deny(id, { by: localUser(), ...(reason === undefined ? {} : { reason }) });
        if (globals.json) return printJson(output, approval);
        await output.print(
          `${output.colors.yellow('denied')} ${exactLine(`${approval.tool} ${JSON.stringify(approval.arguments)}`)}\n`,
        );
      });
    });
}
