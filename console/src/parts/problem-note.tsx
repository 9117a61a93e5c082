import type { ReactNode } from 'react';
import { ProblemError } from '../api/client.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

/** What went wrong, where, and what to do: a problem document to read. */
export function ProblemNote({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }): ReactNode {
  const { title, code, message, issues } = told(error);
  return (
    <div className="note red" role="alert">
      <Icon name="warning" />
      <div className="note-text">
        <strong>{title}</strong>
        <p>{message}</p>
        {issues.length < 2 ? undefined : (
          <ul>
            {issues.map(({ path, message: what }) => (
              <li key={path + what}>
                <code>{path}</code> {what}
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

interface Told {
  readonly title: string;
  readonly code?: string;
  readonly message: string;
  readonly issues: ProblemError['issues'];
}

/** The words for anything that was thrown. */
export function told(error: unknown): Told {
  if (error instanceof ProblemError) {
    const { title, status, code, message, issues } = error;
    // Without an answer there is no code that could be looked up.
    return { title, message, issues, ...(status === 0 ? {} : { code }) };
  }
  return { title: 'That did not work', message: error instanceof Error ? error.message : String(error), issues: [] };
}
