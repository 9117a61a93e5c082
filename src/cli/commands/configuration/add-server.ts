import { prepareEdit } from '../../../config/file/edit-configuration.ts';
import { pluralize } from '../../../core/text/pluralize.ts';
import { CliError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../command-context.ts';
import { runnable } from '../../terminal/invocation.ts';
import { ProgressLine } from '../../terminal/progress-line.ts';
import type { Printer, Terminal } from '../../terminal/terminal.ts';
import { printTools, savePins } from '../calls/tools.ts';
import { applyUserEdit, entryLine, reportChange } from './apply-edit.ts';
import { type AddOptions, newServerEntry } from './new-server-entry.ts';
import { formatLocation, targetConfiguration } from './target-configuration.ts';
import { type TriedServer, tryServer } from './try-server.ts';

/** Adds a server to the configuration, after starting it once unless `--no-check` is given. */
export async function addServer(
  name: string,
  words: readonly string[],
  options: AddOptions,
  globals: GlobalOptions,
  terminal: Terminal,
): Promise<void> {
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
    const { configuration } = prepareEdit(file, edits);
    tried = await new ProgressLine(terminal.errors).during(`starting "${name}"`, () =>
      tryServer(name, configuration, globals),
    );
  }
  const edited = await applyUserEdit(globals, file, edits);
  if (tried !== undefined) {
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
    ...(tried === undefined ? {} : { tools: tried.tools.map(({ name: tool, effect }) => ({ name: tool, effect })) }),
  } as const;
  await reportChange(change, `added "${name}" (${transport})`, globals.json, terminal);
  if (tried !== undefined && !globals.json) await printStartedServer(name, tried, terminal.output);
}

async function printStartedServer(name: string, tried: TriedServer, output: Printer): Promise<void> {
  if (tried.needsSignIn)
    return output.print(
      `it needs you to sign in before it lists its tools; next: ${runnable(`signalbox login ${name}`)}\n`,
    );
  const { tools } = tried;
  await output.print(`it started, and has ${pluralize(tools.length, 'tool')}${tools.length === 0 ? '' : ':'}\n`);
  if (tools.length === 0) return;
  await printTools(output, tried);
}
