import type { ExitCode } from './failure.ts';
import type { Terminal } from './terminal/terminal.ts';

/** The context that every command receives. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Sets an exit code other than 0. */
  exitWith(code: ExitCode): void;
}
