import { type DocumentProblem, renderProblem } from '../../core/text/document-problem.ts';
import { SignalboxError } from '../../core/errors.ts';

/** One thing that is wrong with a policy, and where. */
export type PolicyProblem = DocumentProblem;

/** A policy that cannot be used, with everything that is wrong with it. */
export class PolicyError extends SignalboxError {
  readonly problems: readonly PolicyProblem[];

  constructor(problems: readonly PolicyProblem[]) {
    super('policy-invalid', problems.map((problem) => renderProblem(problem)).join('\n'));
    this.problems = problems;
  }
}
