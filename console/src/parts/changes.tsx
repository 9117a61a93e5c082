import type { ReactNode } from 'react';
import type { FileChange } from '../api/schema.ts';
import { DiffView } from './diff-view.tsx';

/** What a call changed, each with its diff. */
export function Changes({ changes }: { readonly changes: readonly FileChange[] }): ReactNode {
  if (changes.length === 0) return undefined;
  return (
    <ul className="changes" aria-label="Changes">
      {changes.map(({ workspace, path, kind, diff, note }) => (
        <li key={`${workspace ?? ''} ${path}`}>
          <p>
            <code>{path}</code> <span className="faint">{kind}</span>
          </p>
          {diff === undefined ? undefined : <DiffView diff={diff} label={`What changed in ${path}`} />}
          {note === undefined ? undefined : <p className="faint">{note}</p>}
        </li>
      ))}
    </ul>
  );
}
