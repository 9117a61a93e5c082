import { type DocumentProblem, renderProblem } from '../core/text/document-problem.ts';

/** The error for an invalid configuration, with all of its problems. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly code: 'configuration-unreadable' | 'configuration-invalid';
  readonly problems: readonly DocumentProblem[];

  constructor(code: ConfigurationError['code'], problems: readonly DocumentProblem[], options?: ErrorOptions) {
    super(problems.map((problem) => renderProblem(problem, ' — ')).join('\n'), options);
    this.code = code;
    this.problems = problems;
  }
}
