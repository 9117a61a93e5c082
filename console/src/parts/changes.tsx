import type { ReactNode } from 'react';
import type { FileChange } from '../api/schema.ts';
import { DiffView } from './diff-view.tsx';
import { useFirst } from './more.tsx';
import { seen } from './seen.ts';

const mostShown = 50;

/** What a call changed, each with its diff. */
export function Changes({ changes }: { readonly changes: readonly FileChange[] }): ReactNode {
  const { first, more } = useFirst(changes, mostShown);
  if (changes.length === 0) return undefined;
  return (
    <ul className="changes" aria-label="Changes">
      {first.map(({ workspace, path, kind, diff, note }) => (
        <li key={`${workspace ?? ''} ${path}`}>
          <p>
            <code>{seen(path)}</code> <span className="faint">{kind}</span>
          </p>
          {diff === undefined ? undefined : <DiffView diff={diff} label={`What changed in ${path}`} />}
          {note === undefined ? undefined : <p className="faint">{note}</p>}
        </li>
      ))}
      {more === undefined ? undefined : <li>{more}</li>}
    </ul>
  );
}
