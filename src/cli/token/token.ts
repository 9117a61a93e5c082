import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addCreateTokenCommand } from './create.ts';
import { addListTokensCommand } from './list.ts';
import { addRevokeTokenCommand } from './revoke.ts';

/** `signalbox token`: who may do what over HTTP. */
export function addTokenCommand(program: Command, context: CommandContext): void {
  const token = program
    .command('token')
    .summary('let agents, scripts and people in, each with a role')
    .description(
      'Tokens for the HTTP API. A viewer reads. An agent calls tools and runs turns, sees only its own, and can never approve. ' +
        'An approver reads, answers and takes back. An admin does everything. Changes hold at once, also for a server that runs.',
    );
  addCreateTokenCommand(token, context);
  addListTokensCommand(token, context);
  addRevokeTokenCommand(token, context);
}
