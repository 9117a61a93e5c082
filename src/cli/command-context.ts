import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { ExitCode } from './cli-error.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The context that every command receives. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Sets an exit code other than 0. */
  exitWith(code: ExitCode): void;
}

/** The options that every command takes. */
export interface GlobalOptions {
  readonly config: string | undefined;
  /** Absolute path of the data directory. */
  readonly data: string;
  readonly json: boolean;
  /** Whether the command ignores a server that runs on the data directory. */
  readonly local: boolean;
}

/** Adds the global options to a program. */
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

/** Reads the global options of a command. */
export function readGlobalOptions(command: Command): GlobalOptions {
  const { config, data, json, local } = command.optsWithGlobals<{
    config?: string;
    data?: string;
    json?: boolean;
    local?: boolean;
  }>();
  // An empty SIGNALBOX_HOME counts as unset; it would resolve to the current directory.
  return {
    config,
    data: resolve(data || join(homedir(), '.signalbox')),
    json: json === true,
    local: local === true,
  };
}
