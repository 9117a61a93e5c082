import type { ReactNode } from 'react';
import { diffLines } from './diff-lines.ts';

/** Renders a unified diff. */
export function DiffView({ diff, label }: { readonly diff: string; readonly label: string }): ReactNode {
  return (
    <pre className="diff" role="group" aria-label={label} tabIndex={0}>
      {diffLines(diff).map(({ text, kind }, index) => (
        <span key={`${index} ${text}`} className={`diff-line ${kind}`}>
          {kind === 'aside' ? text : `${text}\n`}
        </span>
      ))}
    </pre>
  );
}
