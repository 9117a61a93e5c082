import { type Command, Option } from 'commander';
import { effects } from '../../../core/tools/tool.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import type { AddOptions } from './new-server-entry.ts';

/** `signalbox add NAME`: one more server in the configuration. */
export function addAddCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('add')
    .summary('add a server to the configuration')
    .description(
      'Adds a server to the configuration file: a command, an address, an npm package or a module of tools. ' +
        'Starts it once and lists its tools with their effects; if it cannot start, prints the reason, writes nothing and exits with 1.',
    )
    .usage('[options] <name> [-- command [args...]]')
    .argument('<name>', 'the name of the server')
    .argument('[command...]', 'after --: the command that starts the server, and its arguments')
    .option('--url <url>', 'the address of a remote server')
    .addOption(new Option('--type <type>', 'the transport (default: http)').choices(['http', 'sse']))
    .option('--header <name=value>', 'a header for requests to the address (repeatable)', collect)
    .option('--oauth', 'users sign in to the server with signalbox login')
    .option('--npm <package@version>', 'the npm package of the server')
    .option('--module <file>', 'a module of tools that runs in this process')
    .option('--env <name=value>', 'an environment variable for the server (repeatable)', collect)
    .option(
      '--workspace <dir>',
      'a directory that its tools write to, so that calls can be undone (repeatable)',
      collect,
    )
    .option('--effect <tool=effect>', `the effect of a tool: ${effects.join(', ')} (repeatable)`, collect)
    .option('--no-check', 'add it without starting it')
    .addHelpText('after', examples)
    .action(async (name: string, words: readonly string[], options: AddOptions, command: Command) => {
      const { addServer } = await import('./add-server.ts');
      await addServer(name, words, options, readGlobalOptions(command), terminal);
    });
}

const examples = `
Examples:
  signalbox add files --workspace . -- npx -y @modelcontextprotocol/server-filesystem .
  signalbox add memory --npm @modelcontextprotocol/server-memory@2026.8.31
  signalbox add search --url https://search.example/mcp --header 'Authorization=Bearer \${secret:SEARCH}'
  signalbox add mail --effect send=irreversible --effect list=read -- mail-server`;

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
