import { type Command, Option } from 'commander';
import { pluralize } from '../../../core/text/pluralize.ts';
import { effects } from '../../../core/tools/tool.ts';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';
import { CliError } from '../../cli-error.ts';
import { runnable } from '../../terminal/invocation.ts';
import type { Printer } from '../../terminal/terminal.ts';
import type { AddOptions } from './new-server-entry.ts';
import type { TriedServer } from './try-server.ts';

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
      const globals = readGlobalOptions(command);
      const { formatLocation, targetConfiguration } = await import('./target-configuration.ts');
      const { newServerEntry } = await import('./new-server-entry.ts');
      const { applyUserEdit } = await import('./apply-edit.ts');
      const { entryLine, reportChange } = await import('./apply-edit.ts');
      const target = targetConfiguration(globals);
      const { file } = target;
      if (target.names.includes(name)) {
        const place = formatLocation(file, target.lineOf(name));
        throw new CliError(2, 'server-exists', `the configuration already has a server "${name}": ${place}`, {
          data: { file, line: target.lineOf(name) },
          next: `signalbox remove ${name}, or choose another name`,
        });
      }
      const { entry, transport, warnings: own } = newServerEntry(words, options, target.directory);
      const edits = [{ path: ['mcpServers', name], value: entry }];
      let tried: TriedServer | undefined;
      if (options.check) {
        const { prepareEdit } = await import('../../../config/file/edit-configuration.ts');
        const { ProgressLine } = await import('../../terminal/progress-line.ts');
        const { tryServer } = await import('./try-server.ts');
        const { configuration } = prepareEdit(file, edits);
        tried = await new ProgressLine(terminal.errors).during(`starting "${name}"`, () =>
          tryServer(name, configuration, globals),
        );
      }
      const edited = await applyUserEdit(globals, file, edits);
      if (tried !== undefined) {
        const { savePins } = await import('../calls/tools.ts');
        await savePins(edited.configuration, globals, tried.firstSeen, terminal.errors);
      }
      const warnings = [...own, ...(tried?.unmatched ?? []), ...(edited.note === undefined ? [] : [edited.note])];
      const change = {
        action: 'added',
        server: name,
        file,
        line: entryLine(edited, name),
        created: !target.exists,
        warnings,
        ...(tried === undefined
          ? {}
          : { tools: tried.tools.map(({ name: tool, effect }) => ({ name: tool, effect })) }),
      } as const;
      await reportChange(change, `added "${name}" (${transport})`, globals.json, terminal);
      if (tried !== undefined && !globals.json) await printStartedServer(name, tried, terminal.output);
    });
}

const examples = `
Examples:
  signalbox add files --workspace . -- npx -y @modelcontextprotocol/server-filesystem .
  signalbox add memory --npm @modelcontextprotocol/server-memory@2026.8.31
  signalbox add search --url https://search.example/mcp --header 'Authorization=Bearer \${secret:SEARCH}'
  signalbox add mail --effect send=irreversible --effect list=read -- mail-server`;

async function printStartedServer(name: string, tried: TriedServer, output: Printer): Promise<void> {
  if (tried.needsSignIn)
    return output.print(
      `it needs you to sign in before it lists its tools; next: ${runnable(`signalbox login ${name}`)}\n`,
    );
  const { tools } = tried;
  await output.print(`it started, and has ${pluralize(tools.length, 'tool')}${tools.length === 0 ? '' : ':'}\n`);
  if (tools.length === 0) return;
  const { printTools } = await import('../calls/tools.ts');
  await printTools(output, tried);
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
