import type { Command } from 'commander';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';

/** `signalbox remove NAME`: removes a server from the configuration. */
export function addRemoveCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('remove')
    .summary('remove a server from the configuration')
    .description('Removes a server from the configuration file. The rest of the file does not change.')
    .argument('<name>', 'the name of the server')
    .action(async (name: string, _options: object, command: Command) => {
      const globals = readGlobalOptions(command);
      const { targetConfiguration, unknownServer } = await import('./target-configuration.ts');
      const { applyUserEdit } = await import('./apply-edit.ts');
      const { reportChange } = await import('./apply-edit.ts');
      const target = targetConfiguration(globals);
      if (!target.names.includes(name)) throw unknownServer(name, target);
      const { file } = target;
      const line = target.lineOf(name);
      await applyUserEdit(globals, file, [{ path: ['mcpServers', name], value: undefined }]);
      await reportChange({ action: 'removed', server: name, file, line }, `removed "${name}"`, globals.json, terminal);
    });
}
