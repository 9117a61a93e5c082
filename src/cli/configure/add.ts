import { type Command, Option } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { Failure } from '../fail.ts';
import { globalsOf } from '../globals.ts';
import type { AddOptions } from './server-settings.ts';

/** `signalbox add NAME`: one more server in the configuration. */
export function addAddCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('add')
    .summary('add a server to the configuration')
    .description('Adds a server to the configuration file: a command, an address, an npm package or a module of tools.')
    .usage('[options] <name> [-- command [args...]]')
    .argument('<name>', 'the name of the server')
    .argument('[command...]', 'after --: the command that starts the server, and its arguments')
    .option('--url <url>', 'the address of a remote server')
    .addOption(new Option('--type <type>', 'the transport (default: http)').choices(['http', 'sse']))
    .option('--header <name=value>', 'a header for requests to the address (repeatable)', collect)
    .option('--npm <package@version>', 'an npm package that is the server')
    .option('--module <file>', 'a module of tools that runs in this process')
    .option('--env <name=value>', 'an environment variable for the server (repeatable)', collect)
    .action(async (name: string, words: readonly string[], options: AddOptions, command: Command) => {
      const globals = globalsOf(command);
      const { shownPlace, targetConfiguration } = await import('./target-configuration.ts');
      const { serverSettings } = await import('./server-settings.ts');
      const { editOwn } = await import('./edit-own.ts');
      const { entryLine, reportChange } = await import('./report-change.ts');
      const target = targetConfiguration(globals);
      const { file } = target;
      if (target.names.includes(name)) {
        const place = shownPlace(file, target.lineOf(name));
        throw new Failure(2, 'server-exists', `there is a server "${name}" already: ${place}`, {
          data: { file, line: target.lineOf(name) },
          next: `signalbox remove ${name}, or take another name`,
        });
      }
      const { entry, transport, warnings: own } = serverSettings(words, options, target.directory);
      const edited = await editOwn(globals, file, [{ path: ['mcpServers', name], value: entry }]);
      const line = entryLine(edited, name);
      const warnings = edited.note === undefined ? own : [...own, edited.note];
      const change = { action: 'added', server: name, file, line, created: !target.exists, warnings } as const;
      await reportChange(change, `added "${name}" (${transport})`, globals.json, terminal);
    });
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
