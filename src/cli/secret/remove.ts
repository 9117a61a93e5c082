import type { Command } from 'commander';
import { closestMatch } from '../../core/text/closest-match.ts';
import type { CommandContext } from '../command-context.ts';
import { Failure } from '../fail.ts';
import { globalsOf } from '../globals.ts';
import { printJson } from '../print-json.ts';

/** `signalbox secret remove NAME`. */
export function addRemoveSecretCommand(secret: Command, { terminal: { output } }: CommandContext): void {
  secret
    .command('remove')
    .summary('delete a secret')
    .description('Deletes a secret. Servers that use it keep the value until their next connection.')
    .argument('<name>', 'the name of the secret')
    .action(async (name: string, _options: object, command: Command) => {
      const { data, json } = globalsOf(command);
      const { openVault } = await import('../../host/secrets/open-vault.ts');
      const vault = openVault(data);
      if (!(await vault.remove(name))) {
        const meant = closestMatch(
          name,
          (await vault.list()).map((each) => each.name),
        );
        throw new Failure(1, 'secret-unknown', `no secret is named "${name}"`, {
          ...(meant === undefined ? {} : { lines: [`did you mean "${meant}"?`], data: { nearest: meant } }),
          next: 'signalbox secret list',
        });
      }
      // A later secret of this name is another one.
      const { TrustRecords } = await import('../../config/trust/trust-records.ts');
      new TrustRecords(data).forgetSecret(name);
      if (json) await printJson(output, { name, action: 'removed' });
      else await output.print(`${name} is removed\n`);
    });
}
