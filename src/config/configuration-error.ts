import { type DocumentProblem, renderProblem } from '../core/text/document-problem.ts';

/** A problem in a configuration file, with its location. */
export type ConfigurationProblem = DocumentProblem;

/** The codes of configuration errors. */
export type ConfigurationErrorCode = 'configuration-unreadable' | 'configuration-invalid';

/** The error for an invalid configuration, with all of its problems. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly code: ConfigurationErrorCode;
  readonly problems: readonly ConfigurationProblem[];

  constructor(code: ConfigurationErrorCode, problems: readonly ConfigurationProblem[], options?: ErrorOptions) {
    super(problems.map((problem) => renderProblem(problem, ' — ')).join('\n'), options);
    this.code = code;
    this.problems = problems;
  }
}
