import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Command } from 'commander';
import type { PreparedImport } from '../../config/import/prepare-import.ts';
import { replaceFile } from '../../config/file/atomic-file.ts';
import type { SecretVault } from '../../config/secrets/secret-vault.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import { closestMatch } from '../../core/text/closest-match.ts';
import type { CommandContext } from '../command-context.ts';
import { confirm } from '../confirm.ts';
import { usageFailure } from '../fail.ts';
import { type Globals, globalsOf } from '../globals.ts';
import { shortPath } from '../../host/data-directory.ts';
import { printJson } from '../print-json.ts';
import { thisMachine } from '../../host/this-machine.ts';
import { printable } from '../printable.ts';
import { ProgressLine } from '../progress-line.ts';
import type { Terminal } from '../terminal.ts';

interface Options {
  readonly from?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly policies?: boolean;
}

/** `signalbox import`: takes over the servers of other clients. */
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
      await importServers(options, globalsOf(command), terminal);
    });
}

async function importServers(
  { from, dryRun, yes, policies }: Options,
  globals: Globals,
  terminal: Terminal,
): Promise<void> {
  const { importTable, transportOf } = await import('./import-table.ts');
  const { importEdits, keepSecrets, secretsOf } = await import('../../config/import/prepare-import.ts');
  const { openVault } = await import('../../host/secrets/open-vault.ts');
  const vault = openVault(globals.data);
  const line = new ProgressLine(terminal.errors);
  const { file, plan, secrets } = await line.during('looking for the servers of other clients', () =>
    makePlan(from, globals, vault),
  );
  const { printRules, starterRules } = await import('../../config/import/starter-policy.ts');
  const rules = starterRules(plan.taken);
  const policyFile = join(dirname(file), 'policies.yaml');
  if (!globals.json) {
    await terminal.output.print(importTable(plan, terminal.output));
    if (rules.length > 0) await terminal.output.print(`\n${printable(printRules(rules))}\n`);
  }
  const { length } = plan.taken;
  const wanted = length > 0 && dryRun !== true;
  if (wanted && yes !== true && !terminal.canAsk)
    throw usageFailure('nobody can be asked here', { next: 'signalbox import --yes, or --dry-run to look first' });
  const servers = pluralize(length, 'server');
  // Only those of the servers that come.
  const values = secretsOf(plan.taken, secrets);
  const kept = values.size === 0 ? '' : `, and keep ${pluralize(values.size, 'secret')} encrypted`;
  const question = `Add ${servers} to ${shortPath(file)}${kept}?`;
  const written = wanted && (yes === true || (await confirm(terminal, question)));
  if (written) {
    // First, so that no entry ever refers to what is not there.
    await line.during('keeping their secrets', () => keepSecrets(values, vault));
    const { editOwn } = await import('./edit-own.ts');
    const { note } = await editOwn(globals, file, importEdits(plan.taken));
    if (note !== undefined) await terminal.errors.print(`${terminal.errors.colors.yellow('warning')}: ${note}\n`);
  }
  const mayWrite = written && rules.length > 0 && !existsSync(policyFile);
  const proposal = `Write the ${rules.length} proposed rules to ${shortPath(policyFile)}?`;
  const agreed = mayWrite && (policies === true || (yes !== true && (await confirm(terminal, proposal))));
  if (agreed) await keepRules(policyFile, printRules(rules), file, globals);
  if (globals.json) {
    const taken = plan.taken.map((server) => ({ ...server, transport: transportOf(server.entry).split(' ')[0] }));
    const proposed = { file: policyFile, rules, written: agreed };
    const told = { file, written, secrets: [...values.keys()], policies: proposed };
    await printJson(terminal.output, { ...plan, taken, ...told });
  } else {
    const done = `added ${servers} to ${shortPath(file)}${kept.replace('keep', 'kept')}`;
    const none = plan.kept.length > 0 ? 'nothing new to import' : 'no servers of other clients found';
    await terminal.output.print(`${length === 0 ? none : written ? done : 'nothing was written'}\n`);
    if (written && rules.length > 0) await terminal.output.print(`${policyEnd(agreed, policyFile, rules.length)}\n`);
  }
}

/** Writes the rules, and has the configuration follow them unless it has rules of its own. */
async function keepRules(policyFile: string, text: string, file: string, globals: Globals): Promise<void> {
  const { loadConfiguration } = await import('../../config/file/load-configuration.ts');
  const { loadPolicies } = await import('../../config/file/load-policies.ts');
  const { openTrust } = await import('../../host/trust.ts');
  const { editOwn } = await import('./edit-own.ts');
  replaceFile(policyFile, text);
  if (loadConfiguration(file).policies !== undefined) return;
  const { configuration } = await editOwn(globals, file, [{ path: ['policies'], value: basename(policyFile) }]);
  const trust = openTrust(globals.data);
  await trust.acceptEdit({ configuration, rules: [] }, { configuration, rules: loadPolicies(configuration) });
}

function policyEnd(isWritten: boolean, file: string, count: number): string {
  const rules = pluralize(count, 'rule');
  if (isWritten) return `wrote ${rules} to ${shortPath(file)}`;
  const why = existsSync(file) ? ', which is there already' : '';
  return `${rules} not written to ${shortPath(file)}${why}: copy the rules that you want from above`;
}

async function makePlan(
  from: readonly string[] | undefined,
  globals: Globals,
  vault: SecretVault,
): Promise<PreparedImport & { readonly file: string }> {
  const { clients } = await import('../../config/import/clients/clients.ts');
  const { prepareImport } = await import('../../config/import/prepare-import.ts');
  const { targetConfiguration } = await import('./target-configuration.ts');
  const { readConfiguration } = await import('../../host/read-configuration.ts');
  const known = clients.map(({ id }) => id);
  const unknown = from?.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    const meant = closestMatch(unknown, known);
    throw usageFailure(`there is no client "${unknown}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`, {
      lines: [`the clients are ${known.join(', ')}`],
      next: 'signalbox import --help',
    });
  }
  const target = targetConfiguration(globals);
  const builtinName = target.exists ? readConfiguration(globals).configuration.builtinName : 'signalbox';
  const prepared = await prepareImport({ ...target, builtinName }, vault, thisMachine(process.cwd()), from);
  return { file: target.file, ...prepared };
}
