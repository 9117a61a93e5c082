/** One thing that is wrong with a document that somebody wrote, and where. */
export interface DocumentProblem {
  readonly file: string;
  /** Counted from 1; 0 when it stands in no file, or the file could not be read at all. */
  readonly line: number;
  readonly column: number;
  /** Where in the document, as in `mcpServers.files.args[0]`; empty for the document itself. */
  readonly path: string;
  readonly message: string;
  readonly hint?: string;
}

/** A problem in a line, in a form that editors and terminals make clickable. */
export function renderProblem(problem: DocumentProblem, beforeHint = '; '): string {
  const { file, line, column, path, message, hint } = problem;
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  return `${place}  ${path === '' ? '' : `${path}: `}${message}${hint === undefined ? '' : `${beforeHint}${hint}`}`;
}
