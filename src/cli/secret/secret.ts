import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addListCommand } from './list.ts';
import { addRemoveSecretCommand } from './remove.ts';
import { addSetCommand } from './set.ts';

/** `signalbox secret`: what configurations refer to as `${secret:NAME}`. */
export function addSecretCommand(program: Command, context: CommandContext): void {
  const secret = program
    .command('secret')
    .summary('keep tokens and passwords out of the configuration')
    .description(
      'Keeps secrets encrypted in the data directory. The configuration refers to them as ${secret:NAME}; only the server that refers to one is given it, only in a configuration that may use it (set and trust say which), and it is never recorded. ' +
        'The key is kept in the system keychain, or in a file where there is none; SIGNALBOX_SECRETS=keychain or file decides, and SIGNALBOX_SECRET_KEY is a key of your own.',
    );
  addSetCommand(secret, context);
  addListCommand(secret, context);
  addRemoveSecretCommand(secret, context);
}
