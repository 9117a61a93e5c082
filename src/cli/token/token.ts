import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { addCreateTokenCommand } from './create.ts';
import { addListTokensCommand } from './list.ts';
import { addRevokeTokenCommand } from './revoke.ts';

/** `signalbox token`: who may do what over HTTP. */
export function addTokenCommand(program: Command, context: CommandContext): void {
  const token = program
    .command('token')
    .summary('manage the tokens of agents, scripts and people')
    .description(
      'Manages tokens for the HTTP API and MCP. A viewer reads. An agent calls tools and runs turns, sees only its own, and can never approve. An approver reads, answers questions and undoes calls. An admin does everything. Changes take effect at once, also in a running server.',
    );
  addCreateTokenCommand(token, context);
  addListTokensCommand(token, context);
  addRevokeTokenCommand(token, context);
}
