/** 0: success. 1: the command failed or found a problem. 2: invalid usage or configuration. */
export type ExitCode = 0 | 1 | 2;

/** The details of a failure. */
export interface FailureDetails {
  /** The next step, a command where possible. */
  readonly next?: string;
  /** More lines for people, such as positions and candidates. */
  readonly lines?: readonly string[];
  /** More fields for `--json`. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An error that ends a command with an exit code, a message and a next step. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: Exclude<ExitCode, 0>;
  readonly code: string;
  readonly details: FailureDetails;

  constructor(exitCode: Exclude<ExitCode, 0>, code: string, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause });
    this.exitCode = exitCode;
    this.code = code;
    this.details = details;
  }
}

/** Creates the failure for invalid arguments or options. */
export function usageFailure(message: string, details: FailureDetails = {}): Failure {
  return new Failure(2, 'usage', message, details);
}
