import type { Command } from 'commander';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import type { ImportOptions } from './import-servers.ts';

/** `signalbox import`: imports the servers of other clients. */
export function addImportCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('import')
    .summary('import the MCP servers of other clients')
    .description(
      'Finds the MCP servers of other clients in the home directory and the current directory, shows what it would import, and asks. It never writes their files. Secrets in them are stored encrypted, never in the configuration.',
    )
    .option('--from <client...>', 'only from these clients, for example claude-code, cursor, codex')
    .option('--dry-run', 'show what would be imported, and write nothing')
    .option('--yes', 'do not ask')
    .option(
      '--policies',
      'also write the calls that those clients allow without asking to policies.yaml; without this option, they are asked about or only shown',
    )
    .action(async (options: ImportOptions, command: Command) => {
      const { importServers } = await import('./import-servers.ts');
      await importServers(options, readGlobalOptions(command), terminal);
    });
}
