import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type CopyReport, copyStore } from '../../store/copy/copy-store.ts';
import { isPostgresAddress } from '../../store/postgres/address.ts';
import { postgresTarget } from '../../store/postgres/copy-target.ts';
import { sqliteSource } from '../../store/sqlite/copy-source.ts';
import type { CommandContext } from '../command-context.ts';
import { usageFailure } from '../failure.ts';
import { readGlobalOptions } from '../global-options.ts';
import { journalFile } from '../../host/data-directory.ts';
import { shortPath } from '../../host/data-directory.ts';
import { Interruption } from '../terminal/interruption.ts';
import { resolveStoreAddress } from '../../host/store/open-store.ts';
import { type Printer, printJson } from '../terminal/terminal.ts';
import { ProgressLine } from '../terminal/progress-line.ts';

interface Options {
  readonly from: string;
  readonly to: string;
  readonly restart?: true;
}

/** `signalbox migrate`: copies everything from SQLite to PostgreSQL. */
export function addMigrateCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('migrate')
    .summary('copy all records from SQLite to PostgreSQL')
    .description(
      'Copies the journal with its chain, approvals, remembered rules, sessions, tokens, jobs, stored results and all other records into an empty PostgreSQL database, and compares both sides. The SQLite file is only read; no other process may use it meanwhile. An interrupted run continues when you run it again. Until it has finished, other processes refuse to open the database.',
    )
    .option('--from <file>', '"sqlite" for the file of the data directory, or a path', 'sqlite')
    .requiredOption(
      '--to <address>',
      'postgres://user:password@host/database; ${env:NAME} and ${secret:NAME} are filled in',
    )
    .option('--restart', 'delete the records that an earlier, unfinished run copied')
    .addHelpText('after', examples)
    .action(async ({ from, to, restart }: Options, command: Command) => {
      // The address is not repeated: it may hold a password.
      const globals = readGlobalOptions(command);
      const address = await resolveStoreAddress(to, globals.data);
      if (!isPostgresAddress(address))
        throw usageFailure('--to: expected a "postgres://…" address', { next: 'signalbox migrate --help' });
      const line = new ProgressLine(terminal.errors);
      const interruption = new Interruption();
      try {
        const { report, target } = await migrateTo(address, {
          file: from === 'sqlite' ? journalFile(globals) : resolve(from),
          restart: restart === true,
          line,
          signal: interruption.signal,
        });
        line.clear();
        if (globals.json) await printJson(terminal.output, { ok: true, ...report, to: target });
        else await terminal.output.print(render(report, target, to, terminal.output));
      } finally {
        line.clear();
        interruption.stop();
      }
    });
}

const examples = `
Examples:
  signalbox secret set DB_PASSWORD
  signalbox migrate --to 'postgres://signalbox:\${secret:DB_PASSWORD}@db.internal/signalbox'`;

interface Migration {
  readonly file: string;
  readonly restart: boolean;
  readonly line: ProgressLine;
  readonly signal: AbortSignal;
}

async function migrateTo(address: string, migration: Migration): Promise<{ report: CopyReport; target: string }> {
  const { file, restart, line, signal } = migration;
  const source = await sqliteSource(file);
  try {
    const target = await postgresTarget(address, source, { restart });
    try {
      const report = await copyStore(source, target, {
        signal,
        onProgress: ({ doing, table, rows, total }) =>
          line.show({ progress: rows, total, message: `${doing} ${table}` }),
      });
      return { report, target: target.location };
    } finally {
      await target.close();
    }
  } finally {
    source.close();
  }
}

function render({ head, tables, resumed }: CopyReport, target: string, to: string, { colors }: Printer): string {
  const rows = Object.entries(tables)
    .filter(([, count]) => count > 0)
    .map(([table, count]) => `  ${table.padEnd(18)}${String(count).padStart(10)}\n`);
  const went = resumed === 0 ? '' : `${resumed} rows were there from an earlier run\n`;
  return `${colors.green('ok')} everything is in ${shortPath(target)}, and the same on both sides
${rows.join('')}${went}head ${head.seq}:${head.hash}
${colors.dim('next:')} in the configuration, on every machine: "store": ${JSON.stringify(shownAddress(to))}
${colors.dim('then:')} signalbox doctor; the SQLite file can be kept as a backup
`;
}

/** The address to write down; a password that was typed is no part of it. */
function shownAddress(to: string): string {
  const byName = (password: string): string => (/^\$\{[^}]+\}$/.test(password) ? password : '${secret:DB_PASSWORD}');
  return to
    .replace(
      /^(postgres(?:ql)?:\/\/(?:\$\{[^}]*\}|[^:@/])*):(.*)@/,
      (_, start: string, password: string) => `${start}:${byName(password)}@`,
    )
    .replace(/([?&]password=)([^&#]*)/, (_, start: string, password: string) => `${start}${byName(password)}`);
}
