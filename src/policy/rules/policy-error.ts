import { type DocumentProblem, renderProblem } from '../../core/text/document-problem.ts';
import { SignalboxError } from '../../core/errors.ts';

/** A problem in a policy, with its location. */
export type PolicyProblem = DocumentProblem;

/** The error for an invalid policy, with all of its problems. */
export class PolicyError extends SignalboxError {
  readonly problems: readonly PolicyProblem[];

  constructor(problems: readonly PolicyProblem[]) {
    super('policy-invalid', problems.map((problem) => renderProblem(problem)).join('\n'));
    this.problems = problems;
  }
}
