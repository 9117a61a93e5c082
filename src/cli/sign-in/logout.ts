import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { globalsOf } from '../globals.ts';
import { printJson } from '../print-json.ts';

/** `signalbox logout NAME`. */
export function addLogoutCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('logout')
    .summary('sign out of a server')
    .description('Deletes the tokens for a server, and revokes them where its authorization server supports that.')
    .argument('<name>', 'the name of the server')
    .action(async (name: string, _options: object, command: Command) => {
      const globals = globalsOf(command);
      const { protectedEntry } = await import('./protected-entry.ts');
      const { signOut } = await import('../../sources/mcp/http/oauth/sign-in/sign-out.ts');
      const { wasSignedIn, isRevoked } = await signOut(await protectedEntry(name, globals));
      if (globals.json) await printJson(terminal.output, { server: name, wasSignedIn, isRevoked });
      else await terminal.output.print(`${sentence(name, wasSignedIn, isRevoked)}\n`);
    });
}

function sentence(name: string, wasSignedIn: boolean, isRevoked: boolean): string {
  if (!wasSignedIn) return `nobody was signed in to "${name}"`;
  const rest = isRevoked
    ? 'the tokens are revoked and forgotten'
    : 'the tokens are forgotten here, but were not revoked';
  return `signed out of "${name}": ${rest}`;
}
