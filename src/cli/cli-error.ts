import { closestMatch } from '../core/text/closest-match.ts';

/** 0: success. 1: the command failed or found a problem. 2: invalid usage or configuration. */
export type ExitCode = 0 | 1 | 2;

/** The details of an error. */
export interface CliErrorDetails {
  /** The next step, a command where possible. */
  readonly next?: string | undefined;
  /** More lines for people, such as positions and candidates. */
  readonly lines?: readonly string[];
  /** More fields for `--json`. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An error that ends a command with an exit code, a message and a next step. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: Exclude<ExitCode, 0>;
  readonly code: string;
  readonly details: CliErrorDetails;

  constructor(exitCode: Exclude<ExitCode, 0>, code: string, message: string, details: CliErrorDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.exitCode = exitCode;
    this.code = code;
    this.details = details;
  }
}

/** Creates the error for invalid arguments or options. */
export function usageError(message: string, next?: string, details: CliErrorDetails = {}): CliError {
  return new CliError(2, 'usage', message, { ...details, next });
}

/** Returns the details that suggest the name closest to a mistyped one, if there is one. */
export function suggestion(given: string, names: Iterable<string>): Pick<CliErrorDetails, 'lines' | 'data'> {
  const nearest = closestMatch(given, names);
  return nearest === undefined ? {} : { lines: [`did you mean "${nearest}"?`], data: { nearest } };
}
