import type { ReactNode } from 'react';
import { Badge } from './badge.tsx';
import { Button } from './button.tsx';
import { type FoldedText, sizeText } from './folded-text.ts';

/** Says how much is folded and what kind of text is in it, and shows it with one click. */
export function FoldNote({
  folded,
  entries,
  hasMarks = false,
  onShow,
}: {
  readonly folded: FoldedText;
  /** How many entries of a list or an object are folded. */
  readonly entries?: number;
  /** Parts that are hidden, or were, are among it. */
  readonly hasMarks?: boolean;
  readonly onShow: () => void;
}): ReactNode {
  return (
    <span className="fold-note">
      <Button onClick={onShow}>
        Show {entries === undefined ? '' : `${entries.toLocaleString('en')} more: `}
        {sizeText(folded)} folded
      </Button>
      <FoldedKinds folded={folded} hasMarks={hasMarks} />
    </span>
  );
}

/** Marks a folded part that may hold a command, an address or a hidden part. */
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
