import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addListCommand } from './list.ts';
import { addRemoveSecretCommand } from './remove.ts';
import { addSetCommand } from './set.ts';

/** `signalbox secret`: what configurations refer to as `${secret:NAME}`. */
export function addSecretCommand(program: Command, context: CommandContext): void {
  const secret = program
    .command('secret')
    .summary('store tokens and passwords outside the configuration')
    .description(
      'Stores secrets encrypted in the data directory. The configuration refers to them as ${secret:NAME}. Only the server that refers to a secret gets it, only in a configuration that may use it (granted by set and trust), and it is never recorded. The key is in the system keychain, or in a file where there is no keychain. SIGNALBOX_SECRETS=keychain or file chooses the place; SIGNALBOX_SECRET_KEY sets a key of your own.',
    );
  addSetCommand(secret, context);
  addListCommand(secret, context);
  addRemoveSecretCommand(secret, context);
}
