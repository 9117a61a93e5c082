import { type DocumentProblem, renderProblem } from '../core/text/document-problem.ts';

/** One thing that is wrong with a configuration file, and where. */
export type ConfigurationProblem = DocumentProblem;

/** What makes a configuration unusable. */
export type ConfigurationErrorCode = 'configuration-unreadable' | 'configuration-invalid';

/** A configuration that cannot be used, with everything that is wrong with it. */
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
