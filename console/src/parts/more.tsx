import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';

/** The first of many, and the rest on demand. */
export function useFirst<Item>(
  items: readonly Item[],
  step: number,
): { readonly first: readonly Item[]; readonly more: ReactNode } {
  const [most, setMost] = useState(step);
  const left = items.length - most;
  return {
    first: items.slice(0, most),
    more:
      left > 0 ? (
        <Button kind="quiet" onClick={() => setMost(most + step)}>
          Show {Math.min(left, step)} more of {left.toLocaleString('en')}
        </Button>
      ) : undefined,
  };
}
