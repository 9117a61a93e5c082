import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type PruneResult, pruneJournal } from '../../../journal/pruning/prune-journal.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { parseSince } from '../../input/duration-option.ts';
import { usageError } from '../../cli-error.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { interruptible } from '../../terminal/interruption.ts';
import { openStore } from '../../../host/store/open-store.ts';
import { printJson } from '../../terminal/terminal.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import { assertJournal } from '../../open-records.ts';

interface Options {
  readonly olderThan: number;
  readonly export?: string;
  readonly dryRun?: true;
}

/** Adds `journal prune`, which moves old entries to a file. */
export function addPruneCommand(journal: Command, { terminal }: CommandContext): void {
  journal
    .command('prune')
    .summary('move old entries to a file')
    .description(
      'Writes the entries before a time to a file, verifies the file, and deletes them from the journal, together with the approvals, stored results, recordings and idempotency keys of that time. The rest can still be verified, and verify --with FILE also verifies the file. Entries of open calls stay, with all entries after them.',
    )
    .requiredOption('--older-than <when>', 'the age: 180d, or a date', (text) => parseSince(text))
    .option('--export <file>', 'the file to write; compressed when the name ends with .gz')
    .option('--dry-run', 'only print the number of entries')
    .action(async ({ olderThan: before, export: file, dryRun }: Options, command: Command) => {
      if ((file === undefined) !== (dryRun === true))
        throw usageError(
          'name a file with --export, or use --dry-run',
          'signalbox journal prune --older-than 180d --export journal-old.jsonl.gz',
        );
      const globals = readGlobalOptions(command);
      const archive = file === undefined ? undefined : resolve(file);
      const { store } = await openStore(await assertJournal(globals), globals.data);
      const line = new ProgressLine(terminal.errors);
      const onProgress = (doing: string, entries: number): void =>
        line.show({ progress: entries, message: `entries, ${doing}` });
      try {
        const pruned = await interruptible(({ signal }) =>
          pruneJournal(store, { before, signal, ...omitUndefined({ archive }), onProgress }),
        ).finally(() => line.clear());
        const report = archive === undefined || pruned.dropped === undefined ? pruned : { ...pruned, file: archive };
        if (globals.json) await printJson(terminal.output, report);
        else await terminal.output.print(`${render(pruned, archive)}\n`);
      } finally {
        await store.close();
      }
    });
}

function render({ entries, first, last, dropped, keptFor }: PruneResult, archive: string | undefined): string {
  const note =
    keptFor === undefined
      ? ''
      : `\nentries from call ${keptFor} on stay, because it is still open: settle it with signalbox settle, or wait for its end`;
  if (entries === 0) return `no entries are older${note}`;
  const range = `${entries} ${entries === 1 ? 'entry' : 'entries'} (${first} to ${last})`;
  if (dropped === undefined || archive === undefined) return `${range} would be deleted${note}`;
  const { approvals, results, recordings, claims } = dropped;
  const rest = [
    pluralize(approvals, 'approval'),
    pluralize(results, 'stored result'),
    pluralize(recordings, 'recording'),
    pluralize(claims, 'idempotency key'),
  ].join(', ');
  const file = shortPath(archive);
  return `${range} written to ${file}, verified, and deleted; also ${rest}${note}\nto verify both: signalbox journal verify --with ${file}`;
}
