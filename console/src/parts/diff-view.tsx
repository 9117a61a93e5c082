import type { ReactNode } from 'react';
import { diffLines } from './diff-lines.ts';

/** A unified diff, line by line. */
export function DiffView({ diff, label }: { readonly diff: string; readonly label: string }): ReactNode {
  return (
    <pre className="diff" role="group" aria-label={label} tabIndex={0}>
      {diffLines(diff).map(({ text, kind }, index) => (
        // A line has no other name than its place.
        <span key={`${index} ${text}`} className={`diff-line ${kind}`}>
          {kind === 'aside' ? text : `${text}\n`}
        </span>
      ))}
    </pre>
  );
}
