import { type ReactNode, useMemo } from 'react';
import { PageHead } from '../../app/page-head.tsx';
import { usePlace } from '../../app/router.tsx';
import { ViewLinks } from '../../parts/view-links.tsx';
import { CallFilterBar } from './call-filter-bar.tsx';
import { CallTable } from './call-table.tsx';
import { Charts } from './charts.tsx';
import { callsAddress, filtersOf } from './filters.ts';
import { ReplayView } from './replay-view.tsx';
import { Timeline } from './timeline.tsx';

const views = [
  { view: 'table', name: 'Table' },
  { view: 'timeline', name: 'Timeline' },
  { view: 'charts', name: 'Charts' },
  { view: 'replay', name: 'Replay' },
] as const;

/** Every call on record: as a table, along the time, and counted. */
export function CallsPage(): ReactNode {
  const { search } = usePlace();
  const address = search.toString();
  const filters = useMemo(() => filtersOf(new URLSearchParams(address)), [address]);
  // A session is what can be run again.
  const offered = views.filter(({ view }) => view !== 'replay' || filters.session !== undefined);
  const current = offered.find(({ view }) => view === search.get('view'))?.view ?? 'table';
  return (
    <div className={current === 'table' ? 'page calls filling' : 'page calls'}>
      <PageHead title="Calls" about="Every call on record, how it was decided, and what came of it." />
      <ViewLinks
        label="Views of the calls"
        current={current}
        views={offered.map((each) => ({ ...each, to: callsAddress(filters, each.view) }))}
      />
      {current === 'replay' ? undefined : <CallFilterBar filters={filters} view={current} />}
      {current === 'table' ? <CallTable key={address} filters={filters} /> : undefined}
      {current === 'timeline' ? <Timeline filters={filters} /> : undefined}
      {current === 'charts' ? <Charts filters={filters} /> : undefined}
      {current === 'replay' && filters.session !== undefined ? <ReplayView session={filters.session} /> : undefined}
    </div>
  );
}
