import type { ExitCode } from './failure.ts';
import type { Terminal } from './terminal/terminal.ts';

/** What every command gets to work with. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Says how the command ends, when it is not with 0. */
  exitWith(code: ExitCode): void;
}
