import type { Command } from 'commander';
import { withRecords } from '../../open-records.ts';
import { resolveCallId } from '../../input/call-reference.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { usageError } from '../../cli-error.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { localUser } from '../../../access/local-user.ts';
import { printJson } from '../../terminal/terminal.ts';
import { oneLine } from '../../terminal/escape.ts';

interface Options {
  readonly completed?: boolean;
  readonly failed?: boolean;
  readonly note?: string;
}

/** `signalbox settle`: records the outcome of a call that ended as unknown. */
export function addSettleCommand(program: Command, { terminal: { output } }: CommandContext): void {
  program
    .command('settle')
    .summary('record the outcome of a call that ended as unknown')
    .description(
      'Records what you found out about a call whose process died or whose connection broke while it ran. The call does not run again; later deliveries with the same idempotency key get this outcome.',
    )
    .argument('<call>', 'its id, or the number of its entry, as signalbox journal --outcome unknown prints it')
    .option('--completed', 'it took effect')
    .option('--failed', 'it had no effect')
    .option('--note <text>', 'how you know')
    .action(async (named: string, { completed, failed, note }: Options, command: Command) => {
      if ((completed === true) === (failed === true))
        throw usageError('the outcome is missing: give --completed or --failed', 'signalbox settle --help');
      const globals = readGlobalOptions(command);
      await withRecords(globals, async (box) => {
        const id = await resolveCallId(named, box.journal);
        const as = completed === true ? 'completed' : 'failed';
        await box.journal.settle(id, { as, by: localUser(), ...omitUndefined({ note }) });
        const call = await box.journal.call(id);
        if (globals.json) return printJson(output, call);
        await output.print(`${output.colors.green('settled')} ${id} ${oneLine(call?.tool ?? '')} as ${as}\n`);
      });
    });
}
