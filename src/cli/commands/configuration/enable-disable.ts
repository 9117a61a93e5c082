import type { Command } from 'commander';
import { type CommandContext, readGlobalOptions } from '../../command-context.ts';

/** `signalbox enable NAME` and `signalbox disable NAME`: change the `disabled` key of a server. */
export function addEnableDisableCommands(program: Command, { terminal }: CommandContext): void {
  for (const [action, isDisabled, summary] of [
    ['enable', false, 'start a disabled server again'],
    ['disable', true, 'stop a server and keep its entry in the configuration'],
  ] as const) {
    program
      .command(action)
      .summary(summary)
      .description(`Changes the configuration file: ${summary}.`)
      .argument('<name>', 'the name of the server')
      .action(async (name: string, _options: object, command: Command) => {
        const globals = readGlobalOptions(command);
        const { targetConfiguration, unknownServer } = await import('./target-configuration.ts');
        const { applyUserEdit } = await import('./apply-edit.ts');
        const { entryLine, reportChange } = await import('./apply-edit.ts');
        const target = targetConfiguration(globals);
        const { file } = target;
        if (!target.names.includes(name)) throw unknownServer(name, target);
        const isAlready = (target.entry(name)?.['disabled'] === true) === isDisabled;
        const value = isDisabled ? true : undefined;
        const edits = isAlready ? [] : [{ path: ['mcpServers', name, 'disabled'], value }];
        const line = entryLine(await applyUserEdit(globals, file, edits), name);
        const change = {
          action: isAlready ? ('unchanged' as const) : (`${action}d` as const),
          server: name,
          file,
          line,
        };
        const sentence = isAlready ? `"${name}" is already ${action}d` : `${action}d "${name}"`;
        await reportChange(change, sentence, globals.json, terminal);
      });
  }
}
