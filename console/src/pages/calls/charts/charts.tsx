import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../../api/queries.ts';
import type { Statistics } from '../../../api/schema.ts';
import { Link } from '../../../app/router.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { formatDuration } from '../../../components/time.tsx';
import { type CallFilters, callsUrl, toTimeWindow } from '../call-filters.ts';
import { PrunedNote } from '../pruned-note.tsx';
import { LatencyChart } from './latency-chart.tsx';
import { outcomeNames } from '../outcome-names.ts';
import { RateChart } from './rate-chart.tsx';
import { usePeriodicRefresh } from '../use-periodic-refresh.ts';

type Tally = Statistics['total'];

/** Rate, latency and outcomes: in total, by server and by tool. */
export function Charts({ filters }: { readonly filters: CallFilters }): ReactNode {
  const { server, tool, last, since, until } = filters;
  const options = queries.statistics({ server, tool, last, since, until }, () => ({
    server,
    tool,
    ...toTimeWindow(filters),
  }));
  const { data, error, refetch } = useQuery({ ...options, placeholderData: keepPreviousData });
  usePeriodicRefresh(options.queryKey);
  if (error !== null) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return undefined;
  const { total, servers, tools } = data;
  const time = last === undefined && since === undefined ? 'the last day' : 'this time range';
  const pruned = <PrunedNote until={data.prunedUntil} filters={filters} />;
  if (total.calls === 0)
    return (
      <EmptyState icon="calls" title={`No calls in ${time}`}>
        <p>Choose a longer time range, or another server or tool.</p>
        {pruned}
      </EmptyState>
    );
  return (
    <div className="charts">
      <dl className="totals">
        <Figure name={`Calls in ${time}`} value={total.calls.toLocaleString('en')} />
        <Figure name="Completed" value={percent(total.outcomes['completed'] ?? 0, total.calls)} />
        <Figure name="Latency p50" value={total.latencyMs === undefined ? '–' : formatDuration(total.latencyMs.p50)} />
        <Figure name="p95" value={total.latencyMs === undefined ? '–' : formatDuration(total.latencyMs.p95)} />
        <Figure name="p99" value={total.latencyMs === undefined ? '–' : formatDuration(total.latencyMs.p99)} />
      </dl>
      {pruned}
      <RateChart statistics={data} />
      <LatencyChart statistics={data} />
      <TallyTable
        title="By server"
        rows={servers.map((each) => ({
          name: each.server,
          to: callsUrl({ ...filters, server: each.server }, 'charts'),
          tally: each,
        }))}
      />
      <TallyTable
        title="By tool"
        rows={tools.map((each) => ({
          name: each.tool,
          to: callsUrl({ ...filters, tool: each.tool }, 'charts'),
          tally: each,
        }))}
      />
    </div>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function TallyTable({
  title,
  rows,
}: {
  readonly title: string;
  readonly rows: readonly { readonly name: string; readonly to: string; readonly tally: Tally }[];
}): ReactNode {
  return (
    <section className="card tally" aria-label={title}>
      <h2>{title}</h2>
      <DataTable
        label={title}
        head={[title === 'By tool' ? 'Tool' : 'Server', 'Outcomes', 'Calls', 'Not completed', 'p50', 'p95', 'p99']}
      >
        {rows.map(({ name, to, tally: { calls, outcomes, latencyMs } }) => (
          <tr key={name}>
            <th scope="row">
              <Link to={to}>{name}</Link>
            </th>
            <td>
              <OutcomeBar outcomes={outcomes} calls={calls} />
            </td>
            <td>{calls.toLocaleString('en')}</td>
            <td>{percent(calls - (outcomes['completed'] ?? 0), calls)}</td>
            {(['p50', 'p95', 'p99'] as const).map((key) => (
              <td key={key}>{latencyMs === undefined ? '–' : formatDuration(latencyMs[key])}</td>
            ))}
          </tr>
        ))}
      </DataTable>
    </section>
  );
}

/** The shares of the outcomes as a bar, with a text alternative. */
function OutcomeBar({ outcomes, calls }: { readonly outcomes: Tally['outcomes']; readonly calls: number }): ReactNode {
  const present = outcomeNames.flatMap((name) =>
    (outcomes[name] ?? 0) > 0 ? [{ name, count: outcomes[name] ?? 0 }] : [],
  );
  const words = present.map(({ name, count }) => `${count} ${name}`).join(', ');
  return (
    <span className="outcome-bar" role="img" aria-label={words} title={words}>
      {present.map(({ name, count }) => (
        <span key={name} className={`share ${name}`} style={{ inlineSize: `${(count / calls) * 100}%` }} />
      ))}
    </span>
  );
}

function percent(part: number, whole: number): string {
  const share = whole === 0 ? 0 : (part / whole) * 100;
  return `${share.toFixed(share === 0 || share === 100 ? 0 : 1)} %`;
}
