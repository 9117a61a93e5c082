import type { Command } from 'commander';
import { parseTokenId } from '../../access/access-tokens.ts';
import { SignalboxError } from '../../core/errors.ts';
import { only, withRecords } from '../approvals/open-inbox.ts';
import type { CommandContext } from '../command-context.ts';
import { globalsOf } from '../globals.ts';
import { localUser } from '../../access/local-user.ts';
import { printJson } from '../print-json.ts';

/** `signalbox token revoke`. */
export function addRevokeTokenCommand(token: Command, { terminal: { output } }: CommandContext): void {
  token
    .command('revoke')
    .summary('revoke a token')
    .description(
      'Revokes a token. A running server refuses it at once, and closes everything that its holder has open.',
    )
    .argument('<id>', 'the id, as signalbox token list prints it, or its beginning')
    .action(async (given: string, _options: object, command: Command) => {
      const globals = globalsOf(command);
      await withRecords(globals, async (box) => {
        // Who found a token somewhere has only the token.
        const wanted = parseTokenId(given) ?? given;
        const found = only(await box.tokens.list(), wanted, 'tok_');
        if (found === undefined)
          throw new SignalboxError('token-unknown', 'no token has that id, or one that begins so');
        const revoked = await box.tokens.revoke(found.id, { by: localUser() });
        if (globals.json) return printJson(output, revoked);
        await output.print(`${output.colors.yellow('revoked')} ${revoked.id} (${revoked.role})\n`);
      });
    });
}
