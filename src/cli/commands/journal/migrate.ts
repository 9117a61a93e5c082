import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type CopyReport, copyStore } from '../../../store/copy/copy-store.ts';
import { isPostgresAddress } from '../../../store/postgres/address.ts';
import { openPostgresTarget } from '../../../store/postgres/copy-target.ts';
import { openSqliteSource } from '../../../store/sqlite/copy-source.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { usageError } from '../../cli-error.ts';
import { journalFile, shortPath } from '../../../host/data-directory.ts';
import { interruptible } from '../../terminal/interruption.ts';
import { resolveStoreAddress } from '../../../host/store/open-store.ts';
import { type Printer, printJson } from '../../terminal/terminal.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';

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
      // The error does not repeat the address, because it may contain a password.
      const globals = readGlobalOptions(command);
      const address = await resolveStoreAddress(to, globals.data);
      if (!isPostgresAddress(address))
        throw usageError('--to: expected a "postgres://…" address', 'signalbox migrate --help');
      const line = new ProgressLine(terminal.errors);
      const file = from === 'sqlite' ? journalFile(globals) : resolve(from);
      const migration = { file, restart: restart === true, line };
      const { report, target } = await interruptible(({ signal }) =>
        migrateTo(address, { ...migration, signal }).finally(() => line.clear()),
      );
      if (globals.json) await printJson(terminal.output, { ok: true, ...report, to: target });
      else await terminal.output.print(render(report, target, to, terminal.output));
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
  const source = await openSqliteSource(file);
  try {
    const target = await openPostgresTarget(address, source, { restart });
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
  const resumedLine = resumed === 0 ? '' : `${resumed} rows were copied by an earlier run\n`;
  return `${colors.green('ok')} copied all records to ${shortPath(target)}; both sides are identical
${rows.join('')}${resumedLine}head ${head.seq}:${head.hash}
${colors.dim('next:')} in the configuration, on every machine: "store": ${JSON.stringify(toConfiguredAddress(to))}
${colors.dim('then:')} signalbox doctor; keep the SQLite file as a backup
`;
}

/** Returns the address for the configuration, with a reference in place of a typed password. */
function toConfiguredAddress(to: string): string {
  const toReference = (password: string): string =>
    /^\$\{[^}]+\}$/.test(password) ? password : '${secret:DB_PASSWORD}';
  return to
    .replace(
      /^(postgres(?:ql)?:\/\/(?:\$\{[^}]*\}|[^:@/])*):(.*)@/,
      (_, start: string, password: string) => `${start}:${toReference(password)}@`,
    )
    .replace(/([?&]password=)([^&#]*)/, (_, start: string, password: string) => `${start}${toReference(password)}`);
}
