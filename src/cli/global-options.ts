import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';

/** What can be said to every command. */
export interface GlobalOptions {
  readonly config: string | undefined;
  /** Absolute path of the data directory. */
  readonly data: string;
  readonly json: boolean;
  /** Whether the command ignores a server that runs on the data directory. */
  readonly local: boolean;
}

/** Adds the options that every command takes. */
export function addGlobalOptions(program: Command): void {
  program
    .addOption(
      new Option('--config <file>', 'the configuration (default: the nearest signalbox.config.json or .jsonc)'),
    )
    .addOption(
      new Option('--data <dir>', 'the data directory, with journal and tokens (default: ~/.signalbox)').env(
        'SIGNALBOX_HOME',
      ),
    )
    .addOption(new Option('--json', 'print data and errors as JSON'))
    .addOption(new Option('--local', 'do not use the running server of the data directory'));
}

/** Reads the options that every command takes. */
export function readGlobalOptions(command: Command): GlobalOptions {
  const { config, data, json, local } = command.optsWithGlobals<{
    config?: string;
    data?: string;
    json?: boolean;
    local?: boolean;
  }>();
  // An empty SIGNALBOX_HOME counts as none: the current directory is nobody's wish.
  return {
    config,
    data: resolve(data || join(homedir(), '.signalbox')),
    json: json === true,
    local: local === true,
  };
}
