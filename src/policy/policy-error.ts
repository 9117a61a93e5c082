import { SignalboxError } from '../model/errors.ts';

/** One thing that is wrong with a policy, and where. */
export interface PolicyProblem {
  readonly file: string;
  /** Counted from 1; 0 when it stands in no file. */
  readonly line: number;
  readonly column: number;
  /** Where in the document, as in `[2].rateLimit.per`. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** A policy that cannot be used, with everything that is wrong with it. */
export class PolicyError extends SignalboxError {
  readonly problems: readonly PolicyProblem[];

  constructor(problems: readonly PolicyProblem[]) {
    super('policy-invalid', problems.map(rendered).join('\n'));
    this.problems = problems;
  }
}

function rendered({ file, line, column, path, message, hint }: PolicyProblem): string {
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  return `${place}  ${path === '' ? '' : `${path}: `}${message}${hint === undefined ? '' : `; ${hint}`}`;
}
