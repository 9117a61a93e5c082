/** One thing that is wrong with a configuration file, and where. */
export interface ConfigurationProblem {
  readonly file: string;
  /** Counted from 1; 0 when the file could not be read at all. */
  readonly line: number;
  readonly column: number;
  /** Where in the document, as in `mcpServers.files.args[0]`; empty for the document itself. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** What makes a configuration unusable. */
export type ConfigurationErrorCode = 'configuration-unreadable' | 'configuration-invalid';

/** A configuration that cannot be used, with everything that is wrong with it. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly code: ConfigurationErrorCode;
  readonly problems: readonly ConfigurationProblem[];

  constructor(code: ConfigurationErrorCode, problems: readonly ConfigurationProblem[], options?: ErrorOptions) {
    super(problems.map(renderProblem).join('\n'), options);
    this.code = code;
    this.problems = problems;
  }
}

function renderProblem({ file, line, column, path, message, hint }: ConfigurationProblem): string {
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  const subject = path === '' ? '' : `${path}: `;
  return `${place}  ${subject}${message}${hint === undefined ? '' : ` — ${hint}`}`;
}
