import type { ReactNode } from 'react';
import { ProblemError } from '../api/client.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** Shows an error as a note, with the issues and the code of a problem document. */
export function ProblemNote({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }): ReactNode {
  const { title, code, message, issues } = toProblemText(error);
  return (
    <div className="note red" role="alert">
      <Icon name="warning" />
      <div className="note-text">
        <strong>{title}</strong>
        <p>{message}</p>
        {issues.length < 2 ? undefined : (
          <ul>
            {issues.map(({ path, message: issue }) => (
              <li key={path + issue}>
                <code>{path}</code> {issue}
              </li>
            ))}
          </ul>
        )}
        {code === undefined ? undefined : <code className="faint">{code}</code>}
      </div>
      {onRetry === undefined ? undefined : <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

interface ProblemText {
  readonly title: string;
  readonly code?: string;
  readonly message: string;
  readonly issues: ProblemError['issues'];
}

/** Returns the text for anything that was thrown. */
export function toProblemText(error: unknown): ProblemText {
  if (error instanceof ProblemError) {
    const { title, status, code, message, issues } = error;
    // Failures without a response have no documented code.
    return { title, message, issues, ...(status === 0 ? {} : { code }) };
  }
  return { title: 'Something went wrong', message: error instanceof Error ? error.message : String(error), issues: [] };
}
