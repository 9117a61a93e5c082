import type { Command } from 'commander';
import { counted } from '../../model/counted.ts';
import type { CommandContext } from '../command-context.ts';
import { globalsOf } from '../globals.ts';
import { printJson } from '../print-json.ts';

/** `signalbox policy check`: can the rules be used? */
export function addCheckCommand(policy: Command, { terminal: { output } }: CommandContext): void {
  policy
    .command('check')
    .summary('find everything that is wrong with the rules')
    .description('Reads the rules and tells every mistake, with file, line and column. Ends with 2 when there is one.')
    .argument('[file]', 'a file of rules (default: the policies of the configuration)')
    .action(async (file: string | undefined, _options: object, command: Command) => {
      const globals = globalsOf(command);
      const [{ namedPolicies }, { readPolicies }] = await Promise.all([
        import('./named-policies.ts'),
        import('../../policy/read-policy.ts'),
      ]);
      const { rules, version } = readPolicies(namedPolicies(file, globals));
      const shadowed = rules.filter(({ shadow }) => shadow).length;
      if (globals.json) return printJson(output, { ok: true, version, rules: rules.length, shadow: shadowed });
      const count = counted(rules.length, 'rule');
      const aside = shadowed === 0 ? '' : `, ${shadowed} of them in shadow mode`;
      const said =
        rules.length === 0 ? 'no rules; reads run, everything else asks' : `${count}${aside}, version ${version}`;
      await output.print(`${output.colors.green('ok')} ${said}\n`);
    });
}
