/** A problem in a document, with its location. */
export interface DocumentProblem {
  readonly file: string;
  /** Starts at 1; 0 when the file does not exist or could not be read. */
  readonly line: number;
  readonly column: number;
  /** The path in the document, such as `mcpServers.files.args[0]`; empty for the document itself. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** Renders a problem as one line, with a location that editors and terminals make clickable. */
export function renderProblem(problem: DocumentProblem, beforeHint = '; '): string {
  const { file, line, column, path, message, hint } = problem;
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  return `${place}  ${path === '' ? '' : `${path}: `}${message}${hint === undefined ? '' : `${beforeHint}${hint}`}`;
}
