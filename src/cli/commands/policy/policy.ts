import { UntrustedConfigurationError } from '../../../config/trust/untrusted-error.ts';
import { messageOf } from '../../../core/errors.ts';
import { omitUndefined } from '../../../core/omit-undefined.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { loadHost } from '../../../host/load-host.ts';
import type { Rule } from '../../../policy/rules/rule.ts';
import { type CommandContext, type GlobalOptions, readGlobalOptions } from '../../command-context.ts';
import { parseSince } from '../../input/duration-option.ts';
import { withJournal } from '../../open-records.ts';
import { oneLine, printable } from '../../terminal/escape.ts';
import { interruptible } from '../../terminal/interruption.ts';
import { ProgressLine, startingServersMessage } from '../../terminal/progress-line.ts';
import { Table } from '../../terminal/table.ts';
import { type Printer, printJson } from '../../terminal/terminal.ts';
import { localTime } from '../../terminal/time.ts';
import { addExplainCommand } from './explain.ts';
import type { Command } from 'commander';

/** `signalbox policy`: checks, explains and tests the rules that decide calls. */
export function addPolicyCommand(program: Command, context: CommandContext): void {
  const policy = program
    .command('policy')
    .summary('check rules, explain a decision, test rules on recorded calls')
    .description('Checks, explains and tests the rules that decide calls. See docs/reference/policy.md.');
  addCheckCommand(policy, context);
  addExplainCommand(policy, context);
  addBacktestCommand(policy, context);
}

interface CheckOptions {
  readonly servers: boolean;
}

/** Adds `policy check`, which reports mistakes in the rules. */
function addCheckCommand(policy: Command, { terminal: { output, errors } }: CommandContext): void {
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
    .action(async (file: string | undefined, { servers }: CheckOptions, command: Command) => {
      const globals = readGlobalOptions(command);
      const [{ loadPolicyDocuments }, { readPolicies }, { warnAboutPrefixes }] = await Promise.all([
        import('./policy-files.ts'),
        import('../../../policy/rules/read-policies.ts'),
        import('../../../policy/rules/rule-warnings.ts'),
      ]);
      const { rules, version } = readPolicies(loadPolicyDocuments(file, globals));
      const shadowed = rules.filter(({ shadow }) => shadow).length;
      const names = servers && rules.length > 0 ? await nameWarnings(rules, globals, errors) : [];
      const warnings = [...warnAboutPrefixes(rules), ...names];
      if (globals.json)
        return printJson(output, { ok: true, version, rules: rules.length, shadow: shadowed, warnings });
      const count = pluralize(rules.length, 'rule');
      const aside = shadowed === 0 ? '' : `, ${shadowed} of them in shadow mode`;
      const result =
        rules.length === 0 ? 'no rules; reads run, everything else asks' : `${count}${aside}, version ${version}`;
      for (const warning of warnings) await errors.print(`${errors.colors.yellow('warning')} ${printable(warning)}\n`);
      await output.print(`${output.colors.green('ok')} ${result}\n`);
    });
}

/** Returns a warning for each name in the rules that matches nothing. The rules are still valid, so a warning does not fail the check. */
async function nameWarnings(rules: readonly Rule[], globals: GlobalOptions, errors: Printer): Promise<string[]> {
  try {
    const [{ openBoxForDiagnosis, readConfiguration }, { unmatchedIn }] = await Promise.all([
      loadHost(),
      import('../../../host/daemon/name-warnings.ts'),
    ]);
    const { configuration } = readConfiguration(globals);
    const { box } = await new ProgressLine(errors).during(
      startingServersMessage(configuration),
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
    const why =
      error instanceof UntrustedConfigurationError
        ? `${error.message}, so no server was started; "signalbox trust" shows and accepts it`
        : messageOf(error);
    return [`the names in the rules were not compared with tools: ${why}`];
  }
}

/** Adds `policy backtest`, which decides recorded calls again with other rules. */
function addBacktestCommand(policy: Command, { terminal: { output, errors } }: CommandContext): void {
  policy
    .command('backtest')
    .summary('show which recorded calls other rules would decide differently')
    .description(
      'Decides the calls of the journal again with the rules of a file, in their order and with their history, and shows the calls whose decision would change.',
    )
    .argument('<file>', 'a file of rules')
    .option('--since <when>', 'only calls since this time: 90s, 15m, 1h, 7d, or a date', (text) => parseSince(text))
    .action(async (file: string, { since }: { since?: number }, command: Command) => {
      const globals = readGlobalOptions(command);
      const [{ loadPolicyDocuments }, { backtest }] = await Promise.all([
        import('./policy-files.ts'),
        import('../../../pipeline/policies/run-backtest.ts'),
      ]);
      const documents = loadPolicyDocuments(file, globals);
      const line = new ProgressLine(errors);
      const result = await interruptible(({ signal }) =>
        withJournal(globals, (journal) =>
          line.during('deciding the recorded calls again', () =>
            backtest(journal, documents, { signal, ...omitUndefined({ since }) }),
          ),
        ),
      );
      if (globals.json) return printJson(output, result);
      const { calls, changed, skipped } = result;
      const table = new Table<(typeof changed)[number]>(
        [
          { heading: 'TIME', cell: ({ at }) => localTime(at) },
          { heading: 'CALL', cell: ({ callId }) => callId },
          { heading: 'TOOL', cell: ({ tool }) => oneLine(tool) },
          { heading: 'BEFORE', cell: ({ before }) => `${before.answer} (${oneLine(before.rule)})` },
          { heading: 'AFTER', cell: ({ after }) => `${after.answer} (${oneLine(after.rule)})` },
          { heading: 'WHY', cell: ({ after }) => oneLine(after.reason) },
        ],
        changed,
        output,
      );
      if (changed.length > 0) await output.print(table.text());
      const aside = skipped === 0 ? '' : `; ${skipped} skipped, decided by code`;
      await output.print(`${changed.length} of ${calls} calls would be decided differently${aside}\n`);
    });
}
