import { resolve } from 'node:path';
import type { Command } from 'commander';
import { verifyJournal } from '../../../journal/integrity/verify-journal.ts';
import { backUpSqlite } from '../../../store/sqlite/backup.ts';
import { sqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { CliError, usageError } from '../../cli-error.ts';
import { journalFile, shortPath } from '../../../host/data-directory.ts';
import { configuredStore, openSealer } from '../../../host/store/open-store.ts';
import { printJson } from '../../terminal/terminal.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';

/** `signalbox backup`: copies all records to a SQLite file. */
export function addBackupCommand(program: Command, { terminal: { output, errors } }: CommandContext): void {
  program
    .command('backup')
    .summary('copy the SQLite records to a file, while servers run')
    .description(
      'Copies the SQLite file of the data directory, even while servers write to it, and verifies the chain of the copy. To restore a backup, stop all processes, replace signalbox.db with the copy, and remove signalbox.db-wal and signalbox.db-shm. For records in PostgreSQL, use its own tools.',
    )
    .argument('<file>', 'the file to write; it must not exist yet')
    .action(async (path: string, _: object, command: Command) => {
      const globals = readGlobalOptions(command);
      if ((await configuredStore(globals)) !== 'sqlite')
        throw usageError('the records are in PostgreSQL', 'pg_dump, as described in docs/operations.md');
      const to = resolve(path);
      const line = new ProgressLine(errors);
      await line.during('copying the records', () => backUpSqlite(journalFile(globals), to));
      const copy = sqliteStore({ file: to, sealer: await openSealer(globals.data) });
      try {
        const verified = await line.during('checking the copy', () => verifyJournal(copy));
        if (!verified.ok)
          throw new CliError(1, 'journal-broken', `the hash chain of the copy is broken: ${verified.problem}`, {
            next: 'signalbox journal verify',
          });
        const head = `${verified.head.seq}:${verified.head.hash}`;
        if (globals.json) return await printJson(output, { file: to, entries: verified.entries, head });
        await output.print(
          `${output.colors.green('ok')} ${verified.entries} entries and all other records are in ${shortPath(to)}\nhead ${head}\n`,
        );
      } finally {
        await copy.close();
      }
    });
}
