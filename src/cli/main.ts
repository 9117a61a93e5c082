import { Console } from 'node:console';
import { type Command, CommanderError } from 'commander';
import { UntrustedConfigurationError } from '../config/trust/untrusted-error.ts';
import { messageOf } from '../core/errors.ts';
import { commandPath, createProgram } from './program.ts';
import type { ExitCode } from './cli-error.ts';
import { exitOnSignals } from './terminal/interruption.ts';
import { reportError } from './report-error.ts';
import { type Terminal, processTerminal } from './terminal/terminal.ts';

const graceMs = 250;

/** Runs a command line. Resolves with the exit code. */
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
      const { askForTrust, declinedError } = await import('./untrusted-configuration.ts');
      // No part of the configuration has been used yet, so the command can run again.
      if (!(await askForTrust(error, terminal))) throw declinedError(error);
      await run();
    });
  } catch (error) {
    // Commander also throws for --help and --version.
    const isDone = error instanceof CommanderError && error.exitCode === 0;
    const command = program === undefined ? undefined : commandPath(program, argv);
    exitCode = isDone ? 0 : await reportError(error, terminal.errors, json, command);
  }
  await Promise.all([terminal.output.print(''), terminal.errors.print('')]);
  // Exit even if a tool module has left a timer or a connection open.
  setTimeout(() => process.exit(exitCode), graceMs).unref();
  return exitCode;
}

/** Protects the command from side effects of tool modules: console output, unhandled rejections and uncaught exceptions. */
function guard(terminal: Terminal, json: boolean): void {
  // Standard output is reserved for results.
  globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr });
  process.on('unhandledRejection', (reason) => {
    void terminal.errors.print(`warning: unhandled promise rejection: ${messageOf(reason)}\n`);
  });
  process.on('uncaughtException', (fault) => {
    void endWith(fault, terminal, json);
  });
}

async function endWith(fault: unknown, terminal: Terminal, json: boolean): Promise<never> {
  await reportError(fault, terminal.errors, json);
  return process.exit(1);
}
