import { replaceFile } from '../../../config/file/atomic-file.ts';
import type { ImportedEntry } from '../../../config/import/client-reading.ts';
import type { ImportPlan } from '../../../config/import/plan-import.ts';
import type { PreparedImport } from '../../../config/import/prepare-import.ts';
import type { Capability } from '../../../config/trust/capabilities.ts';
import type { SecretVault } from '../../../config/secrets/secret-vault.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { thisMachine } from '../../../host/this-machine.ts';
import { pendingLines } from '../../untrusted-configuration.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { usageError } from '../../cli-error.ts';
import { confirm } from '../../terminal/question.ts';
import { oneLine, printable } from '../../terminal/escape.ts';
import { type Printer, type Terminal, printJson } from '../../terminal/terminal.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import { Table } from '../../terminal/table.ts';
import { formatLocation } from './target-configuration.ts';
import type { Command } from 'commander';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

interface Options {
  readonly from?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly policies?: boolean;
}

/** `signalbox import`: imports the servers of other clients. */
export function addImportCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('import')
    .summary('import the MCP servers of other clients')
    .description(
      'Finds the MCP servers of other clients in the home directory and the current directory, shows what it would import, and asks. It never writes their files. Secrets in them are stored encrypted, never in the configuration.',
    )
    .option('--from <client...>', 'only from these clients, for example claude-code, cursor, codex')
    .option('--dry-run', 'show what would be imported, and write nothing')
    .option('--yes', 'do not ask')
    .option(
      '--policies',
      'also write the calls that those clients allow without asking to policies.yaml; without this option, they are asked about or only shown',
    )
    .action(async (options: Options, command: Command) => {
      await importServers(options, readGlobalOptions(command), terminal);
    });
}

async function importServers(
  { from, dryRun, yes, policies }: Options,
  globals: GlobalOptions,
  terminal: Terminal,
): Promise<void> {
  const { importEdits, keepSecrets, secretsOf } = await import('../../../config/import/prepare-import.ts');
  const { openVault } = await import('../../../host/secrets/open-vault.ts');
  const vault = openVault(globals.data);
  const line = new ProgressLine(terminal.errors);
  const { file, plan, secrets } = await line.during('searching for servers of other clients', () =>
    makePlan(from, globals, vault),
  );
  const { printRules, starterRules } = await import('../../../config/import/starter-policy.ts');
  const rules = starterRules(plan.taken);
  const policyFile = join(dirname(file), 'policies.yaml');
  if (!globals.json) {
    await terminal.output.print(importTable(plan, terminal.output));
    if (rules.length > 0) await terminal.output.print(`\n${printable(printRules(rules))}\n`);
  }
  const { length } = plan.taken;
  // The entries come from files that somebody else may have written, and writing them here accepts them.
  const added = await capabilitiesAdded(file, plan, globals);
  if (!globals.json && added.length > 0) {
    const lines = pendingLines({ added, lifted: [] }).map((each) => `  ${each}\n`);
    await terminal.output.print(
      `\n${oneLine(`With ${pluralize(length, 'new server')}, ${shortPath(file)} would`)}\n${lines.join('')}`,
    );
  }
  const wanted = length > 0 && dryRun !== true;
  if (wanted && yes !== true && !terminal.canAsk)
    throw usageError('cannot ask for confirmation: this is not a terminal', {
      next: 'signalbox import --yes, or --dry-run to preview',
    });
  const servers = pluralize(length, 'server');
  // Only the secrets of the servers that are imported.
  const values = secretsOf(plan.taken, secrets);
  const storing = values.size === 0 ? '' : `, and store ${pluralize(values.size, 'secret')} encrypted`;
  const question = `Add ${servers} to ${shortPath(file)}${storing}?`;
  const written = wanted && (yes === true || (await confirm(terminal, question)));
  if (written) {
    // Secrets come first, so that no entry refers to a missing one.
    await line.during('storing their secrets', () => keepSecrets(values, vault));
    const { applyUserEdit } = await import('./apply-edit.ts');
    const { note } = await applyUserEdit(globals, file, importEdits(plan.taken));
    if (note !== undefined) await terminal.errors.print(`${terminal.errors.colors.yellow('warning')}: ${note}\n`);
  }
  const mayWrite = written && rules.length > 0 && !existsSync(policyFile);
  const proposal = `Write the ${rules.length} proposed rules to ${shortPath(policyFile)}?`;
  const agreed = mayWrite && (policies === true || (yes !== true && (await confirm(terminal, proposal))));
  if (agreed) await saveRules(policyFile, printRules(rules), file, globals);
  if (globals.json) {
    const taken = plan.taken.map((server) => ({ ...server, transport: transportOf(server.entry).split(' ')[0] }));
    const proposed = { file: policyFile, rules, written: agreed };
    const capabilities = added.map(({ section, text }) => ({ section, text }));
    const report = { file, written, added: capabilities, secrets: [...values.keys()], policies: proposed };
    await printJson(terminal.output, { ...plan, taken, ...report });
  } else {
    const done = `added ${servers} to ${shortPath(file)}${storing.replace('store', 'stored')}`;
    const none = plan.kept.length > 0 ? 'nothing new to import' : 'no servers of other clients found';
    await terminal.output.print(`${length === 0 ? none : written ? done : 'nothing was written'}\n`);
    if (written && rules.length > 0)
      await terminal.output.print(`${describePolicyFile(agreed, policyFile, rules.length)}\n`);
  }
}

/** Returns what the imported entries may do, which is exactly what writing them accepts. */
async function capabilitiesAdded(
  file: string,
  { taken }: ImportPlan,
  { data }: GlobalOptions,
): Promise<readonly Capability[]> {
  if (taken.length === 0) return [];
  const { prepareEdit } = await import('../../../config/file/edit-configuration.ts');
  const { importEdits } = await import('../../../config/import/prepare-import.ts');
  const { openTrust } = await import('../../../host/open-trust.ts');
  const { before, configuration } = prepareEdit(file, importEdits(taken));
  return openTrust(data).addedBy(
    before === undefined ? undefined : { configuration: { file, document: before }, rules: [] },
    {
      configuration,
      rules: [],
    },
  );
}

/** Writes the rules to a file, and adds it to the configuration unless that already has policies. */
async function saveRules(policyFile: string, text: string, file: string, globals: GlobalOptions): Promise<void> {
  const { loadConfiguration } = await import('../../../config/file/load-configuration.ts');
  const { loadPolicies } = await import('../../../config/file/load-policies.ts');
  const { openTrust } = await import('../../../host/open-trust.ts');
  const { applyUserEdit } = await import('./apply-edit.ts');
  replaceFile(policyFile, text);
  if (loadConfiguration(file).policies !== undefined) return;
  const { configuration } = await applyUserEdit(globals, file, [{ path: ['policies'], value: basename(policyFile) }]);
  const trust = openTrust(globals.data);
  await trust.acceptEdit({ configuration, rules: [] }, { configuration, rules: loadPolicies(configuration) });
}

function describePolicyFile(isWritten: boolean, file: string, count: number): string {
  const rules = pluralize(count, 'rule');
  if (isWritten) return `wrote ${rules} to ${shortPath(file)}`;
  const why = existsSync(file) ? ', which is there already' : '';
  return `${rules} not written to ${shortPath(file)}${why}: copy the rules that you want from above`;
}

async function makePlan(
  from: readonly string[] | undefined,
  globals: GlobalOptions,
  vault: SecretVault,
): Promise<PreparedImport & { readonly file: string }> {
  const { clients } = await import('../../../config/import/clients/clients.ts');
  const { prepareImport } = await import('../../../config/import/prepare-import.ts');
  const { targetConfiguration } = await import('./target-configuration.ts');
  const { readConfiguration } = await import('../../../host/read-configuration.ts');
  const known = clients.map(({ id }) => id);
  const unknown = from?.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    const meant = closestMatch(unknown, known);
    throw usageError(`unknown client "${unknown}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`, {
      lines: [`the clients are ${known.join(', ')}`],
      next: 'signalbox import --help',
    });
  }
  const target = targetConfiguration(globals);
  const builtinName = target.exists ? readConfiguration(globals).configuration.builtinName : 'signalbox';
  const prepared = await prepareImport({ ...target, builtinName }, vault, thisMachine(process.cwd()), from);
  return { file: target.file, ...prepared };
}

/** Formats an import plan. */
function importTable({ taken, kept, skipped, problems }: ImportPlan, { colors }: Printer): string {
  const rows = taken.map(({ name, entry, origins, notes }) => [
    name,
    [...new Set(origins.map(({ client }) => client.title))].join(', '),
    oneLine(transportOf(entry)),
    oneLine(notes[0] ?? ''),
  ]);
  const table = new Table(
    [{ heading: 'NAME' }, { heading: 'FROM' }, { heading: 'TRANSPORT' }, { heading: 'NOTES' }],
    rows,
    undefined,
  );
  // Notes list required steps, so the table has no width limit.
  const blank = ['', '', ''];
  const lines = taken.flatMap(({ notes }, index) => [
    table.row(rows[index] ?? []),
    ...notes.slice(1).map((note) => table.row([...blank, oneLine(note)])),
  ]);
  const rest = [
    ...kept.map(({ name, client }) => `kept     ${name}: the configuration has it already (${client.title})`),
    ...skipped.map(
      ({ name, reason, file, line }) => `skipped  ${oneLine(name)}: ${oneLine(reason)} (${formatLocation(file, line)})`,
    ),
    ...problems.map(
      ({ file, line, message }) => `${colors.yellow('broken')}   ${formatLocation(file, line)}: ${oneLine(message)}`,
    ),
  ];
  const parts = [...(taken.length === 0 ? [] : [colors.bold(table.heading()), ...lines]), ...rest];
  return parts.length === 0 ? '' : `${parts.join('\n')}\n`;
}

/** Describes the transport of a server, and its program or host, which the user is about to trust. */
function transportOf({ command, type = 'http', url = '', disabled }: ImportedEntry): string {
  const suffix = disabled === true ? ' (disabled)' : '';
  if (command !== undefined) return `stdio ${basename(command)}${suffix}`;
  return `${type} ${URL.canParse(url) ? new URL(url).host : ''}`.trimEnd() + suffix;
}
