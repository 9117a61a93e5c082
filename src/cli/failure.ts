/** 0: ok. 1: the thing asked about is wrong. 2: wrong use or wrong configuration. */
export type ExitCode = 0 | 1 | 2;

/** What a failure tells besides its message. */
export interface FailureDetails {
  /** What to do next, a command where there is one. */
  readonly next?: string;
  /** More lines for people: positions, candidates. */
  readonly lines?: readonly string[];
  /** More fields for `--json`. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** Ends a command: what went wrong, and what to do about it. */
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

/** The command was given something it does not take. */
export function usageFailure(message: string, details: FailureDetails = {}): Failure {
  return new Failure(2, 'usage', message, details);
}
