import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { queries } from '../../../api/queries.ts';
import { Link, navigate } from '../../../app/router.tsx';
import { IconButton } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { formatDuration, formatTimestamp } from '../../../components/time.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { type CallFilters, callsUrl, toCallQuery, toTimeWindow } from '../call-filters.ts';
import { PrunedNote } from '../pruned-note.tsx';
import { type Bar, type LaneKey, type TimeRange, toLanes, toTimeRange, toTicks } from './lanes.ts';
import { usePeriodicRefresh } from '../use-periodic-refresh.ts';

const maxBars = 500;

/** Calls as bars in lanes, by start and duration. The bars are one tab stop; arrow keys move between them. */
export function Timeline({ filters }: { readonly filters: CallFilters }): ReactNode {
  const [by, setBy] = useState<LaneKey>('server');
  const query = queries.callWindow({ filters, limit: maxBars }, () => toCallQuery(filters));
  const { data, error, refetch } = useQuery(query);
  usePeriodicRefresh(query.queryKey);
  if (error !== null) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return undefined;
  const stretch = toTimeRange(data.items, toTimeWindow(filters));
  const lanes = toLanes(data.items, by, stretch);
  const go = (from: number, until: number): void =>
    navigate(
      callsUrl(
        { ...filters, last: '', since: new Date(from).toISOString(), until: new Date(until).toISOString() },
        'timeline',
      ),
      { replace: true },
    );
  const { from, until } = stretch;
  const length = until - from;
  return (
    <section className="timeline card" aria-label="Timeline">
      <header>
        <label>
          Group by{' '}
          <select value={by} onChange={(event) => setBy(event.target.value as LaneKey)}>
            <option value="server">server</option>
            <option value="session">session</option>
            <option value="tool">tool</option>
          </select>
        </label>
        <span className="faint">
          {data.next === undefined
            ? `${data.items.length} calls in ${formatDuration(length)}`
            : `Newest ${data.items.length} calls of this range`}{' '}
          <PrunedNote until={data.pruned?.at} filters={filters} />
        </span>
        <span className="timeline-keys">
          <IconButton icon="earlier" label="Earlier" onClick={() => go(from - length / 2, until - length / 2)} />
          <IconButton icon="minus" label="Zoom out" onClick={() => go(from - length / 2, until + length / 2)} />
          <IconButton icon="plus" label="Zoom in" onClick={() => go(from + length / 4, until - length / 4)} />
          <IconButton icon="later" label="Later" onClick={() => go(from + length / 2, until + length / 2)} />
        </span>
      </header>
      {data.items.length === 0 ? (
        <EmptyState icon="calls" title="No calls in this time range" />
      ) : (
        <div className="lanes" role="toolbar" aria-label="Calls as bars" tabIndex={-1} onKeyDown={moveBetweenBars}>
          {lanes.map(({ name, rows, bars }, lane) => (
            <div key={name} className="lane">
              <h2 title={name}>{name}</h2>
              <div className="lane-bars" style={{ blockSize: `${rows * 1.125}rem` }}>
                {bars.map((bar, index) => (
                  <BarLink key={bar.call.callId} bar={bar} stretch={stretch} isStop={lane === 0 && index === 0} />
                ))}
              </div>
            </div>
          ))}
          <div className="lane lane-axis" aria-hidden="true">
            <span />
            <div className="lane-bars">
              {toTicks(stretch).map(({ at, share }) => (
                <span key={at} className="tick" style={{ insetInlineStart: `${share * 100}%` }}>
                  {formatTimestamp(at)}
                </span>
              ))}
            </div>
          </div>
        </div>
      )}
    </section>
  );
}

function BarLink({
  bar: { call, start, end, row },
  stretch: { from, until },
  isStop,
}: {
  readonly bar: Bar;
  readonly stretch: TimeRange;
  readonly isStop: boolean;
}): ReactNode {
  const share = (at: number): number => ((Math.min(until, Math.max(from, at)) - from) / (until - from)) * 100;
  const outcome = call.type === 'CallStarted' ? 'running' : call.outcome;
  const words = `${call.tool}, ${outcome}, ${formatTimestamp(start)}, ${formatDuration(end - start)}`;
  return (
    <Link
      to={`/calls/${call.callId}`}
      className={`bar ${outcome}`}
      tabIndex={isStop ? 0 : -1}
      aria-label={words}
      title={words}
      style={{
        insetInlineStart: `${share(start)}%`,
        inlineSize: `${share(end) - share(start)}%`,
        insetBlockStart: `${row * 1.125}rem`,
      }}
    />
  );
}

function moveBetweenBars(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const bars = [...event.currentTarget.querySelectorAll<HTMLElement>('.bar')];
  const next = bars[bars.findIndex((bar) => bar === document.activeElement) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
