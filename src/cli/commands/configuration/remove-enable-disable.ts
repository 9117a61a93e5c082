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
      const { applyUserEdit, reportChange } = await import('./apply-edit.ts');
      const target = targetConfiguration(globals);
      if (!target.names.includes(name)) throw unknownServer(name, target);
      const { file } = target;
      const line = target.lineOf(name);
      await applyUserEdit(globals, file, [{ path: ['mcpServers', name], value: undefined }]);
      await reportChange({ action: 'removed', server: name, file, line }, `removed "${name}"`, globals.json, terminal);
    });
}

/** `signalbox enable NAME` and `signalbox disable NAME`: change the `disabled` key of a server. */
export function addEnableDisableCommands(program: Command, { terminal }: CommandContext): void {
  for (const [action, isDisabled, summary, description] of [
    [
      'enable',
      false,
      'start a disabled server again',
      'Removes the key disabled of a server in the configuration file. A running serve starts the server.',
    ],
    [
      'disable',
      true,
      'stop a server and keep its entry in the configuration',
      'Sets the key disabled of a server in the configuration file. A running serve stops the server and hides its tools.',
    ],
  ] as const) {
    program
      .command(action)
      .summary(summary)
      .description(description)
      .argument('<name>', 'the name of the server')
      .action(async (name: string, _options: object, command: Command) => {
        const globals = readGlobalOptions(command);
        const { targetConfiguration, unknownServer } = await import('./target-configuration.ts');
        const { applyUserEdit, entryLine, reportChange } = await import('./apply-edit.ts');
        const target = targetConfiguration(globals);
        const { file } = target;
        if (!target.names.includes(name)) throw unknownServer(name, target);
        const isAlready = target.isDisabled(name) === isDisabled;
        const value = isDisabled ? true : undefined;
        const edits = isAlready ? [] : [{ path: ['mcpServers', name, 'disabled'], value }];
        const line = entryLine(await applyUserEdit(globals, file, edits), name);
        const done = isAlready ? 'unchanged' : (`${action}d` as const);
        const sentence = isAlready ? `"${name}" is already ${action}d` : `${action}d "${name}"`;
        await reportChange({ action: done, server: name, file, line }, sentence, globals.json, terminal);
      });
  }
}
