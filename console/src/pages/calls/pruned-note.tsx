import type { ReactNode } from 'react';
import { momentText } from '../../parts/moment.tsx';
import { type CallFilters, windowOf } from './filters.ts';

/** What is not there any more is not what never was: says where the journal begins, to who looks that far back. */
export function PrunedNote({
  until,
  filters,
}: {
  /** When the last entry that went was made. */
  readonly until: string | undefined;
  readonly filters: CallFilters;
}): ReactNode {
  const { since } = windowOf(filters);
  if (until === undefined || (since !== undefined && Date.parse(since) > Date.parse(until))) return undefined;
  return <span className="faint pruned">What came up to {momentText(until)} was pruned: it is in the archive.</span>;
}
