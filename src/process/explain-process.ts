import type { ProgramOptions } from './process-group.ts';

/** How a process ended, in words. */
export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null
    ? `its process ended with exit code ${code ?? 'unknown'}`
    : `its process was ended by ${signal}`;
}

/** Why a program could not be started, in words. */
export function explainStart({ command, cwd }: ProgramOptions, error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') {
    const [program, ...args] = command.trim().split(/\s+/);
    const hint =
      args.length === 0 ? '' : `; did you mean command ${JSON.stringify(program)} with args ${JSON.stringify(args)}?`;
    return `the program ${JSON.stringify(command)} was not found${cwd === undefined ? '' : ` (or the directory ${cwd} does not exist)`}${hint}`;
  }
  return `the program ${JSON.stringify(command)} could not be started: ${error.message}`;
}
