import { Console } from 'node:console';
import { type Command, CommanderError } from 'commander';
import { UntrustedConfigurationError } from '../config/trust/untrusted-error.ts';
import { messageOf } from '../core/errors.ts';
import { commandPath, createProgram } from './program.ts';
import type { ExitCode } from './failure.ts';
import { exitOnSignals } from './terminal/interruption.ts';
import { reportFailure } from './report-failure.ts';
import { type Terminal, processTerminal } from './terminal/terminal.ts';

const graceMs = 250;

/** Runs the command line; answers the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const terminal = processTerminal();
  const json = argv.includes('--json');
  guard(terminal, json);
  exitOnSignals();
  let exitCode: ExitCode = 0;
  let program: Command | undefined;
  const run = async (): Promise<void> => {
    program = await createProgram({ terminal, exitWith: (code) => (exitCode = code) }, argv);
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv, { from: 'user' });
  };
  try {
    await run().catch(async (error: unknown) => {
      if (!(error instanceof UntrustedConfigurationError) || !terminal.canAsk) throw error;
      const { askForTrust, declinedFailure } = await import('./untrusted-configuration.ts');
      // Nothing of the configuration was used yet, so that the command can begin again.
      if (!(await askForTrust(error, terminal))) throw declinedFailure(error);
      await run();
    });
  } catch (error) {
    // Commander ends --help and --version by an exception, too.
    const isDone = error instanceof CommanderError && error.exitCode === 0;
    const command = program === undefined ? undefined : commandPath(program, argv);
    exitCode = isDone ? 0 : await reportFailure(error, terminal.errors, json, command);
  }
  await Promise.all([terminal.output.print(''), terminal.errors.print('')]);
  // A tool module may have left a timer or a connection behind, which must not keep the command from ending.
  setTimeout(() => process.exit(exitCode), graceMs).unref();
  return exitCode;
}

/** Keeps what tool modules do besides running tools from harming the command. */
function guard(terminal: Terminal, json: boolean): void {
  // Standard output is for what was asked for.
  globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr });
  process.on('unhandledRejection', (reason) => {
    void terminal.errors.print(`warning: unhandled promise rejection: ${messageOf(reason)}\n`);
  });
  process.on('uncaughtException', (fault) => {
    void endWith(fault, terminal, json);
  });
}

async function endWith(fault: unknown, terminal: Terminal, json: boolean): Promise<never> {
  await reportFailure(fault, terminal.errors, json);
  return process.exit(1);
}
