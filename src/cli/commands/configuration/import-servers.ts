import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { replaceFile } from '../../../config/file/atomic-file.ts';
import { prepareEdit } from '../../../config/file/edit-configuration.ts';
import { loadConfiguration } from '../../../config/file/load-configuration.ts';
import { loadPolicies } from '../../../config/file/load-policies.ts';
import type { ImportedEntry } from '../../../config/import/client-reading.ts';
import { clients } from '../../../config/import/clients/clients.ts';
import type { ImportPlan } from '../../../config/import/plan-import.ts';
import {
  type PreparedImport,
  importEdits,
  prepareImport,
  secretsOf,
  storeSecrets,
} from '../../../config/import/prepare-import.ts';
import { printRules, starterRules } from '../../../config/import/starter-policy.ts';
import type { SecretVault } from '../../../config/secrets/secret-vault.ts';
import type { Capability } from '../../../config/trust/capabilities.ts';
import { closestMatch } from '../../../core/text/closest-match.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { shortPath } from '../../../host/data-directory.ts';
import { openTrust } from '../../../host/open-trust.ts';
import { readConfiguration } from '../../../host/read-configuration.ts';
import { openVault } from '../../../host/secrets/open-vault.ts';
import { thisMachine } from '../../../host/environment.ts';
import { usageError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../command-context.ts';
import { oneLine, printable } from '../../terminal/escape.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import { confirm } from '../../terminal/question.ts';
import { Table } from '../../terminal/table.ts';
import { type Printer, type Terminal, printJson } from '../../terminal/terminal.ts';
import { printWarning } from '../../terminal/warnings.ts';
import { pendingLines } from '../../untrusted-configuration.ts';
import { applyUserEdit } from './apply-edit.ts';
import { formatLocation, targetConfiguration } from './target-configuration.ts';

/** The options of `import`. */
export interface ImportOptions {
  readonly from?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly policies?: boolean;
}

/** Finds the servers of other clients, and adds them to the configuration when the user agrees. */
export async function importServers(
  { from, dryRun, yes, policies }: ImportOptions,
  globals: GlobalOptions,
  terminal: Terminal,
): Promise<void> {
  const vault = openVault(globals.data);
  const line = new ProgressLine(terminal.errors);
  const { file, plan, secrets } = await line.during('searching for servers of other clients', () =>
    makePlan(from, globals, vault),
  );
  const rules = starterRules(plan.taken);
  const policyFile = join(dirname(file), 'policies.yaml');
  if (!globals.json) {
    await terminal.output.print(importTable(plan, terminal.output));
    if (rules.length > 0) await terminal.output.print(`\n${printable(printRules(rules))}\n`);
  }
  const { length } = plan.taken;
  // The entries come from files that somebody else may have written, and writing them here accepts them.
  const added = capabilitiesAdded(file, plan, globals);
  if (!globals.json && added.length > 0) {
    const lines = pendingLines({ added, lifted: [] }).map((each) => `  ${each}\n`);
    await terminal.output.print(
      `\n${oneLine(`With ${pluralize(length, 'new server')}, ${shortPath(file)} would`)}\n${lines.join('')}`,
    );
  }
  const wanted = length > 0 && dryRun !== true;
  if (wanted && yes !== true && !terminal.canAsk)
    throw usageError(
      'cannot ask for confirmation: this is not a terminal',
      'signalbox import --yes, or --dry-run to preview',
    );
  const servers = pluralize(length, 'server');
  // Only the secrets of the servers that are imported.
  const values = secretsOf(plan.taken, secrets);
  const storing = values.size === 0 ? '' : `, and store ${pluralize(values.size, 'secret')} encrypted`;
  const question = `Add ${servers} to ${shortPath(file)}${storing}?`;
  const written = wanted && (yes === true || (await confirm(terminal, question)));
  if (written) {
    // Secrets come first, so that no entry refers to a missing one.
    await line.during('storing their secrets', () => storeSecrets(values, vault));
    const { note } = await applyUserEdit(globals, file, importEdits(plan.taken));
    if (note !== undefined) await printWarning(terminal.errors, note);
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
function capabilitiesAdded(file: string, { taken }: ImportPlan, { data }: GlobalOptions): readonly Capability[] {
  if (taken.length === 0) return [];
  const { before, configuration } = prepareEdit(file, importEdits(taken));
  return openTrust(data).addedBy(before, { configuration, rules: [] });
}

/** Writes the rules to a file, and adds it to the configuration unless that already has policies. */
async function saveRules(policyFile: string, text: string, file: string, globals: GlobalOptions): Promise<void> {
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
  const known = clients.map(({ id }) => id);
  const unknown = from?.find((id) => !known.includes(id));
  if (unknown !== undefined) {
    const meant = closestMatch(unknown, known);
    const what = `unknown client "${unknown}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`;
    throw usageError(what, 'signalbox import --help', { lines: [`the clients are ${known.join(', ')}`] });
  }
  const target = targetConfiguration(globals);
  const builtinName = target.exists ? readConfiguration(globals).configuration.builtinName : 'signalbox';
  const prepared = await prepareImport({ ...target, builtinName }, vault, thisMachine(process.cwd()), from);
  return { file: target.file, ...prepared };
}

/** Formats an import plan. */
function importTable({ taken, kept, skipped, problems }: ImportPlan, { colors }: Printer): string {
  const rows = taken.flatMap(({ name, entry, origins, notes }) => {
    const titles = new Set(origins.map(({ client }) => client.title));
    const first = { name, from: [...titles].join(', '), transport: oneLine(transportOf(entry)), note: notes[0] ?? '' };
    return [first, ...notes.slice(1).map((note) => ({ name: '', from: '', transport: '', note }))];
  });
  const table = new Table<(typeof rows)[number]>(
    [
      { heading: 'NAME', cell: ({ name }) => name },
      { heading: 'FROM', cell: ({ from }) => from },
      { heading: 'TRANSPORT', cell: ({ transport }) => transport },
      { heading: 'NOTES', cell: ({ note }) => oneLine(note) },
    ],
    rows,
    // Notes list required steps, so the table has no width limit.
    { colors, width: undefined },
  );
  const rest = [
    ...kept.map(({ name, isDifferent, client }) =>
      isDifferent
        ? `kept     ${name}: the configuration has a different server with this name; to import the one of ${client.title} too, rename yours in the configuration and run the import again`
        : `kept     ${name}: the configuration has it already (${client.title})`,
    ),
    ...skipped.map(
      ({ name, reason, file, line }) => `skipped  ${oneLine(name)}: ${oneLine(reason)} (${formatLocation(file, line)})`,
    ),
    ...problems.map(
      ({ file, line, message }) => `${colors.yellow('broken')}   ${formatLocation(file, line)}: ${oneLine(message)}`,
    ),
  ];
  return (taken.length === 0 ? '' : table.text()) + rest.map((line) => `${line}\n`).join('');
}

/** Describes the transport of a server, and its program or host, which the user is about to trust. */
function transportOf({ command, type = 'http', url = '', disabled }: ImportedEntry): string {
  const suffix = disabled === true ? ' (disabled)' : '';
  if (command !== undefined) return `stdio ${basename(command)}${suffix}`;
  return `${type} ${URL.canParse(url) ? new URL(url).host : ''}`.trimEnd() + suffix;
}
