import type { FileChange } from '../../api/schema.ts';
import { Button } from '../button.tsx';
import { escapeInvisible } from '../text/escape-invisible.ts';
import { DiffView } from './diff-view.tsx';
import { type ReactNode, useState } from 'react';

const maxShown = 50;

/** The files that a call changed, with their diffs. */
export function FileChanges({ changes }: { readonly changes: readonly FileChange[] }): ReactNode {
  const { first, more } = useShowMore(changes, maxShown);
  if (changes.length === 0) return undefined;
  return (
    <ul className="changes" aria-label="Changes">
      {first.map(({ workspace, path, kind, diff, note }) => (
        <li key={`${workspace ?? ''} ${path}`}>
          <p>
            <code>{escapeInvisible(path)}</code> <span className="faint">{kind}</span>
          </p>
          {diff === undefined ? undefined : <DiffView diff={diff} label={`Changes in ${path}`} />}
          {note === undefined ? undefined : <p className="faint">{note}</p>}
        </li>
      ))}
      {more === undefined ? undefined : <li>{more}</li>}
    </ul>
  );
}

/** Returns the first items of a list and a button that shows more. */
export function useShowMore<Item>(
  items: readonly Item[],
  step: number,
): { readonly first: readonly Item[]; readonly more: ReactNode } {
  const [limit, setLimit] = useState(step);
  const left = items.length - limit;
  return {
    first: items.slice(0, limit),
    more:
      left > 0 ? (
        <Button kind="quiet" onClick={() => setLimit(limit + step)}>
          Show {Math.min(left, step)} more of {left.toLocaleString('en')}
        </Button>
      ) : undefined,
  };
}
