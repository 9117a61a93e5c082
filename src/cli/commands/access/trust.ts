import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { configurationFileNames } from '../../../config/configuration.ts';
import { findConfiguration } from '../../../config/file/configuration-files.ts';
import { TrustRecords } from '../../../config/trust/trust-records.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { confirm } from '../../terminal/question.ts';
import { CliError, usageError } from '../../cli-error.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { localTime } from '../../terminal/time.ts';
import { printJson } from '../../terminal/terminal.ts';
import { oneLine } from '../../terminal/escape.ts';
import { Table } from '../../terminal/table.ts';
import { pendingHeading, pendingLines, trustCommand } from '../../untrusted-configuration.ts';

/** `signalbox trust`: accepts configurations on this machine. */
export function addTrustCommand(program: Command, context: CommandContext): void {
  const { terminal } = context;
  const trust = program
    .command('trust')
    .summary('review and accept a configuration that you did not write')
    .description(
      'Shows which programs, modules and addresses a configuration uses, which secrets and variables it reads and which rules allow calls. Asks whether you accept them, and stores the answer in the data directory. ' +
        'Later edits of the file ask again only when they add something or remove a limit. Files that init, add, import and the console write need no acceptance. SIGNALBOX_TRUST=all, or a list of directories, accepts without a question, for CI and containers.',
    )
    .argument('[file]', 'the configuration, or its directory (default: the nearest one)')
    .option('--yes', 'do not ask')
    .action(async (file: string | undefined, { yes }: { readonly yes?: boolean }, command: Command) => {
      const globals = readGlobalOptions(command);
      const { ConfigurationTrust } = await import('../../../config/trust/configuration-trust.ts');
      const { readConfiguration } = await import('../../../host/read-configuration.ts');
      const { readRules } = await import('../../../host/box/configured-policies.ts');
      const { configuration } = readConfiguration({ ...globals, config: resolveFile(file, globals) });
      const read = { configuration, rules: await readRules(configuration) };
      const store = new ConfigurationTrust({ data: globals.data, trusted: '' });
      const pending = await store.pending(read);
      const path = configuration.file;
      if (pending !== undefined && !globals.json) {
        const lines = pendingLines(pending).map((line) => `  ${line}\n`);
        await terminal.output.print(`${oneLine(pendingHeading(pending))}\n${lines.join('')}`);
      }
      if (pending !== undefined && yes !== true && !terminal.canAsk)
        throw usageError(
          'cannot ask for confirmation: this is not a terminal',
          `review the list, then run ${trustCommand({ pending, data: globals.data })} --yes`,
        );
      const isTrusted = pending === undefined || yes === true || (await confirm(terminal, 'Trust it on this machine?'));
      if (isTrusted) await store.accept(read);
      else context.exitWith(1);
      if (globals.json) {
        const added = (pending?.added ?? []).map(({ section, text }) => ({ section, text }));
        const lifted = (pending?.lifted ?? []).map(({ place }) => place);
        return printJson(terminal.output, { file: path, trusted: isTrusted, added, lifted });
      }
      const result = pending === undefined ? 'is trusted; there is nothing new to accept' : 'is trusted from now on';
      await terminal.output.print(`${shortPath(path)} ${isTrusted ? result : 'is not trusted'}\n`);
    });
  addListCommand(trust, context);
  addRevokeCommand(trust, context);
}

function addListCommand(trust: Command, { terminal: { output } }: CommandContext): void {
  trust
    .command('list')
    .summary('list the accepted configurations')
    .description('Lists the configurations that were accepted on this machine, with the secrets that each may use.')
    .action(async (_options: object, command: Command) => {
      const { data, json } = readGlobalOptions(command);
      const items = new TrustRecords(data).list().map(({ capabilities, ...record }) => ({
        ...record,
        capabilities: capabilities.length,
        exists: existsSync(record.file),
      }));
      if (json) return printJson(output, { items });
      if (items.length === 0) return output.print('no configuration was accepted yet\n');
      const table = new Table<(typeof items)[number]>(
        [
          { heading: 'SINCE', cell: ({ acceptedAt }) => localTime(acceptedAt) },
          {
            heading: 'CONFIGURATION',
            cell: ({ file, exists }) => oneLine(shortPath(file)) + (exists ? '' : ' (gone)'),
          },
          { heading: 'SECRETS', cell: ({ secrets }) => secrets.join(', ') },
        ],
        items,
        output,
      );
      await output.print(table.text());
    });
}

function addRevokeCommand(trust: Command, { terminal: { output } }: CommandContext): void {
  trust
    .command('revoke')
    .summary('revoke the acceptance of a configuration')
    .description(
      'Revokes the acceptance of a configuration and its access to secrets. The next command asks again; a running server keeps the accepted configuration until it stops.',
    )
    .argument('[file]', 'the configuration, or its directory (default: the nearest one)')
    .action(async (file: string | undefined, _options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      const path = resolveFile(file, globals);
      const secrets = new TrustRecords(globals.data).find(path)?.secrets ?? [];
      if (!new TrustRecords(globals.data).remove(path))
        throw new CliError(1, 'configuration-untrusted', `${shortPath(path)} was not accepted on this machine`, {
          next: 'signalbox trust list',
        });
      if (globals.json) return printJson(output, { file: path, revoked: true, secrets });
      const also = secrets.length === 0 ? '' : `, and access to ${pluralize(secrets.length, 'secret')} was revoked`;
      await output.print(`${shortPath(path)} is no longer trusted${also}\n`);
    });
}

/** Returns the configuration file that is given as a file or a directory, or the nearest one. */
function resolveFile(path: string | undefined, { config }: GlobalOptions): string {
  const given = path ?? config;
  if (given === undefined) {
    const found = findConfiguration(process.cwd());
    if (found !== undefined) return found;
    throw usageError('no configuration file in this directory or above it', 'signalbox init, or signalbox trust FILE');
  }
  const file = resolve(given);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) return file;
  const inside = configurationFileNames.map((name) => join(file, name)).find((each) => existsSync(each));
  if (inside !== undefined) return inside;
  throw usageError(`${shortPath(file)} has no configuration`, 'signalbox trust FILE');
}
