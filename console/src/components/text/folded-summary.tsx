import type { ReactNode } from 'react';
import { Badge } from '../badge.tsx';
import { Button } from '../button.tsx';
import { type FoldedText, formatSize } from './folded-text.ts';

/** Shows the size and the kinds of folded text, with a button that expands it. */
export function FoldedSummary({
  folded,
  entries,
  hasMarks = false,
  onShow,
}: {
  readonly folded: FoldedText;
  /** The number of folded entries of a list or an object. */
  readonly entries?: number;
  /** Whether the folded text contains hidden or revealed parts. */
  readonly hasMarks?: boolean;
  readonly onShow: () => void;
}): ReactNode {
  return (
    <span className="fold-note">
      <Button onClick={onShow}>
        Show {entries === undefined ? '' : `${entries.toLocaleString('en')} more: `}
        {formatSize(folded)} folded
      </Button>
      <FoldedKinds folded={folded} hasMarks={hasMarks} />
    </span>
  );
}

/** Warns about a folded part that may contain a command, a URL or a hidden part. */
export function FoldedKinds({
  folded: { kinds },
  hasMarks = false,
}: {
  readonly folded: FoldedText;
  readonly hasMarks?: boolean;
}): ReactNode {
  const all = [...kinds, ...(hasMarks ? ['hidden part'] : [])];
  return all.length === 0 ? undefined : <Badge tone="amber">contains {all.join(', ')}</Badge>;
}
