import type { Command } from 'commander';
import type { Approval } from '../../../core/calls/approval.ts';
import type { InternalSignalbox } from '../../../signalbox/internal-signalbox.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { usageError } from '../../cli-error.ts';
import { localUser } from '../../../access/local-user.ts';
import { type Printer, printJson } from '../../terminal/terminal.ts';
import { exactLine } from '../../terminal/escape.ts';
import { findApproval, withRecords } from '../../open-records.ts';

interface Options {
  readonly gone?: boolean;
  readonly reason?: string;
}

const pageSize = 1000;

/** `signalbox deny`: denies calls. */
export function addDenyCommand(program: Command, { terminal: { output } }: CommandContext): void {
  program
    .command('deny')
    .summary('deny one exact call, or all whose callers no longer wait')
    .description(
      'Denies one call. Waiting calls end now; if none waits, the next one is denied. After that, the call asks again.',
    )
    .argument('[id]', 'the id, as signalbox approvals prints it, or its beginning')
    .option('--gone', 'deny every question whose caller no longer waits')
    .option('--reason <text>', 'the reason, which the caller gets')
    .action(async (prefix: string | undefined, { gone = false, reason }: Options, command: Command) => {
      const globals = readGlobalOptions(command);
      if ((prefix === undefined) !== gone)
        throw usageError(gone ? '--gone takes no id' : 'an id is missing', { next: 'signalbox approvals' });
      await withRecords(globals, async (box) => {
        const asked = prefix === undefined ? await findAbandoned(box) : [await findApproval(box, prefix)];
        const denied: Approval[] = [];
        for (const { id } of asked) {
          const approval = await box.approvals.deny(id, {
            by: localUser(),
            ...(reason === undefined ? {} : { reason }),
          });
          denied.push(approval);
          if (!globals.json) await output.print(formatDenied(approval, output));
        }
        if (globals.json) return printJson(output, gone ? { items: denied } : denied[0]);
        if (denied.length === 0) await output.print('every caller with a pending question waits for its answer\n');
      });
    });
}

/** Returns the pending approvals whose callers no longer wait. */
async function findAbandoned(box: InternalSignalbox): Promise<Approval[]> {
  const found: Approval[] = [];
  let cursor: string | undefined;
  do {
    const page = await box.approvals.page({
      state: 'pending',
      limit: pageSize,
      ...(cursor === undefined ? {} : { cursor }),
    });
    found.push(...page.items.filter(({ caller }) => caller === 'gone'));
    cursor = page.next;
  } while (cursor !== undefined);
  return found;
}

function formatDenied({ tool, arguments: asked }: Approval, { colors }: Printer): string {
  return `${colors.yellow('denied')} ${exactLine(`${tool} ${JSON.stringify(asked)}`)}\n`;
}
