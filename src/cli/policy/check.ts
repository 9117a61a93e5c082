import type { Command } from 'commander';
import { UntrustedConfigurationError } from '../../config/trust/untrusted-error.ts';
import { messageOf } from '../../core/errors.ts';
import { pluralize } from '../../core/text/pluralize.ts';
import type { Rule } from '../../policy/rules/rule.ts';
import type { CommandContext } from '../command-context.ts';
import { type Globals, globalsOf } from '../globals.ts';
import { loadHost } from '../../host/load-host.ts';
import { printJson } from '../print-json.ts';
import { printable } from '../printable.ts';
import { ProgressLine } from '../progress-line.ts';
import { startingServers } from '../starting-servers.ts';
import type { Printer } from '../terminal.ts';

interface Options {
  readonly servers: boolean;
}

/** `signalbox policy check`: can the rules be used? */
export function addCheckCommand(policy: Command, { terminal: { output, errors } }: CommandContext): void {
  policy
    .command('check')
    .summary('report all mistakes in the rules')
    .description(
      'Reads the rules and reports every mistake, with file, line and column. Exits with 2 when there is one. ' +
        'Then starts the configured servers, without writing to the journal, and warns about rules that name no tool, label or server. ' +
        'Also warns about startsWith on a command or a path.',
    )
    .argument('[file]', 'a file of rules (default: the policies of the configuration)')
    .option('--no-servers', 'do not start servers; names in rules are not checked')
    .action(async (file: string | undefined, { servers }: Options, command: Command) => {
      const globals = globalsOf(command);
      const [{ namedPolicies }, { readPolicies }, { warnAboutPrefixes }] = await Promise.all([
        import('./named-policies.ts'),
        import('../../policy/rules/read-policies.ts'),
        import('../../policy/rules/prefix-warnings.ts'),
      ]);
      const { rules, version } = readPolicies(namedPolicies(file, globals));
      const shadowed = rules.filter(({ shadow }) => shadow).length;
      const names = servers && rules.length > 0 ? await nameWarnings(rules, globals, errors) : [];
      const warnings = [...warnAboutPrefixes(rules), ...names];
      if (globals.json)
        return printJson(output, { ok: true, version, rules: rules.length, shadow: shadowed, warnings });
      const count = pluralize(rules.length, 'rule');
      const aside = shadowed === 0 ? '' : `, ${shadowed} of them in shadow mode`;
      const said =
        rules.length === 0 ? 'no rules; reads run, everything else asks' : `${count}${aside}, version ${version}`;
      for (const warning of warnings) await errors.print(`${errors.colors.yellow('warning')} ${printable(warning)}\n`);
      await output.print(`${output.colors.green('ok')} ${said}\n`);
    });
}

/** Returns a warning for each name in the rules that matches nothing. The rules are still valid, so a warning does not fail the check. */
async function nameWarnings(rules: readonly Rule[], globals: Globals, errors: Printer): Promise<string[]> {
  try {
    const [{ openBoxForDiagnosis, readConfiguration }, { unmatchedIn }] = await Promise.all([
      loadHost(),
      import('../../host/daemon/name-warnings.ts'),
    ]);
    const { configuration } = readConfiguration(globals);
    const { box } = await new ProgressLine(errors).during(
      startingServers(configuration),
      async () => await openBoxForDiagnosis(configuration, { secretsFrom: globals.data }),
    );
    try {
      const catalog = box.catalog();
      const absent = catalog.servers.filter(({ status }) => status !== 'up').map(({ name }) => `"${name}"`);
      const unknown =
        absent.length === 0
          ? []
          : [`names of tools of ${absent.join(', ')} were not checked: not up, see signalbox doctor`];
      return [...(await unmatchedIn(rules, catalog)), ...unknown];
    } finally {
      await box.close();
    }
  } catch (error) {
    if (error instanceof UntrustedConfigurationError) throw error;
    return [`the names in the rules were not compared with tools: ${messageOf(error)}`];
  }
}
