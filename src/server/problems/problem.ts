import { type ProblemCode, type ProblemStatus, problemCodes } from './problem-codes.ts';

/** One error in a request. */
interface ProblemIssue {
  /** The location in the request: `body.arguments.path`, `query.limit`. */
  readonly path: string;
  readonly message: string;
}

/** A problem document, RFC 9457. */
export interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: ProblemStatus;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly issues?: readonly ProblemIssue[];
  /** Identifies this occurrence in the log of the server. */
  readonly instance?: string;
}

interface ProblemOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly issues?: readonly ProblemIssue[];
  readonly instance?: string;
}

/** An error that is sent as a problem document. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly headers: Readonly<Record<string, string>>;
  readonly issues: readonly ProblemIssue[] | undefined;
  readonly instance: string | undefined;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail);
    this.code = code;
    this.headers = options.headers ?? {};
    this.issues = options.issues;
    this.instance = options.instance;
  }

  get status(): ProblemStatus {
    return problemCodes[this.code].status;
  }

  document(): ProblemDocument {
    return {
      type: `urn:signalbox:problem:${this.code}`,
      title: problemCodes[this.code].title,
      status: this.status,
      code: this.code,
      detail: this.message,
      ...(this.issues === undefined ? {} : { issues: this.issues }),
      ...(this.instance === undefined ? {} : { instance: this.instance }),
    };
  }
}

/** The media type of a problem document. */
export const problemType = 'application/problem+json';
