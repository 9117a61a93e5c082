import type { ReactNode } from 'react';
import { formatTimestamp } from '../../components/time.tsx';
import { type CallFilters, toTimeWindow } from './call-filters.ts';

/** States where the journal begins when the filters reach back to calls that were pruned. */
export function PrunedNote({
  until,
  filters,
}: {
  /** The time of the newest pruned entry. */
  readonly until: string | undefined;
  readonly filters: CallFilters;
}): ReactNode {
  const { since } = toTimeWindow(filters);
  if (until === undefined || (since !== undefined && Date.parse(since) > Date.parse(until))) return undefined;
  return <span className="faint pruned">Calls up to {formatTimestamp(until)} were pruned and are in the archive.</span>;
}
