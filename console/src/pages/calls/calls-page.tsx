import { type ReactNode, useMemo } from 'react';
import { PageHead } from '../../app/page-head.tsx';
import { useLocation } from '../../app/router.tsx';
import { ViewLinks } from '../../components/view-links.tsx';
import { CallFilterBar } from './call-filter-bar.tsx';
import { CallTable } from './table/call-table.tsx';
import { Charts } from './charts/charts.tsx';
import { callsUrl, parseCallFilters } from './call-filters.ts';
import { ReplayView } from './replay-view.tsx';
import { Timeline } from './timeline/timeline.tsx';
import './calls.css';
import './charts/charts.css';

const views = [
  { view: 'table', name: 'Table' },
  { view: 'timeline', name: 'Timeline' },
  { view: 'charts', name: 'Charts' },
  { view: 'replay', name: 'Replay' },
] as const;

/** The recorded calls as a table, a timeline, charts, or a replay of one session. */
export function CallsPage(): ReactNode {
  const { search } = useLocation();
  const address = search.toString();
  const filters = useMemo(() => parseCallFilters(new URLSearchParams(address)), [address]);
  // Only a session can be replayed.
  const offered = views.filter(({ view }) => view !== 'replay' || filters.session !== undefined);
  const current = offered.find(({ view }) => view === search.get('view'))?.view ?? 'table';
  return (
    <div className={current === 'table' ? 'page calls filling' : 'page calls'}>
      <PageHead title="Calls" about="Every recorded call, its decision and its outcome." />
      <ViewLinks
        label="Call views"
        current={current}
        views={offered.map((each) => ({ ...each, to: callsUrl(filters, each.view) }))}
      />
      {current === 'replay' ? undefined : <CallFilterBar filters={filters} view={current} />}
      {current === 'table' ? <CallTable key={address} filters={filters} /> : undefined}
      {current === 'timeline' ? <Timeline filters={filters} /> : undefined}
      {current === 'charts' ? <Charts filters={filters} /> : undefined}
      {current === 'replay' && filters.session !== undefined ? <ReplayView session={filters.session} /> : undefined}
    </div>
  );
}
