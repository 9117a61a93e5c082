import { resolve } from 'node:path';
import type { Command } from 'commander';
import { findConfiguration } from '../../config/file/find-configuration.ts';
import type { CommandContext } from '../command-context.ts';
import { usageFailure } from '../fail.ts';
import { globalsOf } from '../globals.ts';
import { shortPath } from '../../host/data-directory.ts';
import { printJson } from '../print-json.ts';

/** `signalbox secret set NAME`. */
export function addSetCommand(secret: Command, { terminal }: CommandContext): void {
  secret
    .command('set')
    .summary('store or replace a secret')
    .description(
      'Stores a secret, and grants it to the configuration of this directory (--config names another). On a terminal it asks for the value without showing it; otherwise it reads the value from standard input.',
    )
    .argument('<name>', 'letters, digits, "_", "-" and "."')
    .option('--from-env <variable>', 'read the value from an environment variable')
    // Told below, with the reason.
    .allowExcessArguments()
    .action(async (name: string, { fromEnv }: { readonly fromEnv?: string }, command: Command) => {
      const { data, json, config } = globalsOf(command);
      if (command.args.length > 1)
        throw usageFailure(
          'a value on the command line is seen by every process of this machine and stays in the shell’s history',
          { next: `signalbox secret set ${name}, which asks for it, or pipe it in` },
        );
      const { openTrust } = await import('../../host/trust.ts');
      const { openVault } = await import('../../host/secrets/open-vault.ts');
      const { keyLocation } = await import('../../config/secrets/key-ring.ts');
      const { readSecret } = await import('./read-secret.ts');
      const vault = openVault(data);
      // A name that cannot be is told before anything is typed.
      const wasThere = await vault.has(name);
      const value = await readSecret(name, fromEnv, terminal);
      const { store } = await vault.set(name, value);
      const action = wasThere ? 'replaced' : 'added';
      const grantedTo = config === undefined ? findConfiguration(process.cwd()) : resolve(config);
      if (grantedTo !== undefined) openTrust(data).grantSecrets(grantedTo, [name]);
      if (json) return printJson(terminal.output, { name, store, action, grantedTo: grantedTo ?? null });
      const who = grantedTo === undefined ? 'no configuration' : shortPath(grantedTo);
      const also = grantedTo === undefined ? ' yet: the one that refers to it asks' : '';
      await terminal.output.print(
        `${name} is ${action}, encrypted with the key in ${shortPath(keyLocation(store, data))}; ` +
          `${who} may use it as \${secret:${name}}${also}\n`,
      );
    });
}
