import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { parseSince } from '../duration.ts';
import { globalsOf } from '../globals.ts';
import { Interruption } from '../interruption.ts';
import { withJournal } from '../journal/open-journal.ts';
import { localTime } from '../local-time.ts';
import { printJson } from '../print-json.ts';
import { oneLine } from '../printable.ts';
import { ProgressLine } from '../progress-line.ts';
import { Table } from '../table.ts';

const columns = [
  { heading: 'TIME' },
  { heading: 'CALL' },
  { heading: 'TOOL' },
  { heading: 'BEFORE' },
  { heading: 'AFTER' },
  { heading: 'WHY' },
];

/** `signalbox policy backtest`: what would other rules have said of the calls in the journal? */
export function addBacktestCommand(policy: Command, { terminal: { output, errors } }: CommandContext): void {
  policy
    .command('backtest')
    .summary('show which recorded calls other rules would decide differently')
    .description(
      'Decides the calls of the journal again with the rules of a file, in their order and with their history, and shows the calls whose decision would change.',
    )
    .argument('<file>', 'a file of rules')
    .option('--since <when>', 'only calls since this time: 90s, 15m, 1h, 7d, or a date', (text) => parseSince(text))
    .action(async (file: string, { since }: { since?: number }, command: Command) => {
      const globals = globalsOf(command);
      const [{ namedPolicies }, { backtest }] = await Promise.all([
        import('./named-policies.ts'),
        import('../../pipeline/policies/run-backtest.ts'),
      ]);
      const documents = namedPolicies(file, globals);
      const interruption = new Interruption();
      try {
        await withJournal(globals, async (journal) => {
          const options = { signal: interruption.signal, ...(since === undefined ? {} : { since }) };
          const result = await new ProgressLine(errors).during('deciding the recorded calls again', () =>
            backtest(journal, documents, options),
          );
          if (globals.json) return printJson(output, result);
          const { calls, changed, skipped } = result;
          const rows = changed.map(({ at, callId, tool, before, after }) => [
            localTime(at),
            callId,
            oneLine(tool),
            `${before.answer} (${oneLine(before.rule)})`,
            `${after.answer} (${oneLine(after.rule)})`,
            oneLine(after.reason),
          ]);
          const table = new Table(columns, rows, output.width);
          if (rows.length > 0) await output.print(table.text(rows, output.colors.bold));
          const aside = skipped === 0 ? '' : `; ${skipped} left out, decided by code`;
          await output.print(`${changed.length} of ${calls} calls would be decided differently${aside}\n`);
        });
      } finally {
        interruption.stop();
      }
    });
}
