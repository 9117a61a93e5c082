import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, memo, useEffect, useRef, useState } from 'react';
import type { CallEntry } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { Badge, DecisionBadge, OutcomeBadge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { PrincipalName } from '../../parts/principal-name.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { duration } from '../../parts/time-ago.tsx';
import { TourButton } from '../sessions/tour-button.tsx';
import { type CallFilters, callsAddress } from './filters.ts';
import { PrunedNote } from './pruned-note.tsx';
import { useCallList } from './use-call-list.ts';

/** How far down the reader was, for when they come back from a call. */
const places = new Map<string, number>();
const narrow = matchMedia('(max-width: 48rem)');

/** The calls as rows, of which only those in view are there. `j` and `k` go from one to the next. */
export function CallTable({ filters }: { readonly filters: CallFilters }): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const list = useCallList(filters, () => {
    const { current } = frame;
    return current !== null && (current.scrollTop > 0 || current.contains(document.activeElement));
  });
  const { calls = [] } = list;
  const place = callsAddress(filters);
  const [rowHeight] = useState(() => (narrow.matches ? 64 : 36));
  const virtual = useVirtualizer({
    count: calls.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    initialOffset: places.get(place) ?? 0,
    getItemKey: (index) => calls[index]?.callId ?? index,
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  const { isWhole, isLoadingMore, loadMore, error } = list;
  useEffect(() => {
    if (last >= calls.length - 60 && !isWhole && !isLoadingMore && error === null) loadMore();
  }, [last, calls.length, isWhole, isLoadingMore, loadMore, error]);

  const move = (step: number): void => {
    const focused = document.activeElement?.closest('[data-index]')?.getAttribute('data-index');
    const next = Math.min(calls.length - 1, Math.max(0, focused == null ? 0 : Number(focused) + step));
    virtual.scrollToIndex(next);
    requestAnimationFrame(() => frame.current?.querySelector<HTMLElement>(`[data-index="${next}"] a`)?.focus());
  };
  useShortcut('j', 'Next call', () => move(1), { repeats: true });
  useShortcut('k', 'Previous call', () => move(-1), { repeats: true });
  const toTop = (): void => {
    list.showHeld();
    frame.current?.scrollTo({ top: 0 });
  };

  if (error !== null && list.calls === undefined) return <ProblemNote error={error} onRetry={list.retry} />;
  const pruned = <PrunedNote until={list.prunedUntil} filters={filters} />;
  if (list.calls?.length === 0) return <NoCalls isFiltered={Object.keys(filters).length > 0} pruned={pruned} />;
  return (
    <div className="call-table card" aria-busy={list.calls === undefined}>
      <div className="call-columns call-row" aria-hidden="true">
        <span>Time</span>
        <span>Tool</span>
        <span>Decision</span>
        <span>Outcome</span>
        <span>Duration</span>
        <span>Principal</span>
      </div>
      {list.held === 0 ? undefined : (
        <Button kind="primary" className="held" onClick={toTop}>
          {list.held} new {list.held === 1 ? 'call' : 'calls'}
        </Button>
      )}
      <div
        className="virtual-list"
        ref={frame}
        tabIndex={0}
        role="group"
        aria-label="Calls, newest first"
        onScroll={({ currentTarget: { scrollTop } }) => {
          places.set(place, scrollTop);
          if (scrollTop === 0) list.showHeld();
        }}
      >
        <ul style={{ blockSize: virtual.getTotalSize() }}>
          {rows.map(({ index, key, start }) => {
            const call = calls[index];
            return call === undefined ? undefined : (
              <li
                key={key}
                data-index={index}
                style={{ transform: `translateY(${start}px)`, blockSize: rowHeight }}
                aria-posinset={index + 1}
                aria-setsize={isWhole ? calls.length : -1}
              >
                <CallRow call={call} />
              </li>
            );
          })}
        </ul>
      </div>
      {error === null ? undefined : <ProblemNote error={error} onRetry={loadMore} />}
      <p className="faint call-foot" role="status">
        {list.calls === undefined
          ? 'Looking…'
          : `${calls.length.toLocaleString('en')} ${calls.length === 1 ? 'call' : 'calls'}${isWhole ? '' : ' so far; scroll for more'}`}{' '}
        {pruned}
      </p>
    </div>
  );
}

const CallRow = memo(function CallRow({ call }: { readonly call: CallEntry }): ReactNode {
  const { callId, at, tool, server, decision, principal } = call;
  return (
    <Link to={`/calls/${callId}`} className="call-row">
      <span className="call-time">
        <Moment at={at} />
      </span>
      <span className="call-tool">
        <code>{tool}</code>
        {server === undefined ? <span className="faint"> no server</span> : undefined}
      </span>
      <span>{decision === undefined ? undefined : <DecisionBadge answer={decision.answer} />}</span>
      <span>
        <CallOutcome call={call} />
      </span>
      <span className="call-duration">
        {call.type === 'ToolInvoked' && call.durationMs !== null ? duration(call.durationMs) : ''}
      </span>
      <span className="call-principal faint">
        <PrincipalName of={principal} />
      </span>
    </Link>
  );
});

/** How a call ended, or what a human found out about that. */
export function CallOutcome({ call }: { readonly call: CallEntry }): ReactNode {
  if (call.type === 'CallStarted') return <Badge tone="blue">running</Badge>;
  if (call.settled !== undefined) return <Badge tone="grey">{`unknown, settled: ${call.settled.as}`}</Badge>;
  return <OutcomeBadge outcome={call.outcome} />;
}

function NoCalls({ isFiltered, pruned }: { readonly isFiltered: boolean; readonly pruned: ReactNode }): ReactNode {
  return (
    <EmptyState icon="calls" title={isFiltered ? 'No call fits' : 'No calls yet'}>
      {pruned}
      {isFiltered ? (
        <p>
          <Link to="/calls">Show all calls</Link>
        </p>
      ) : (
        <>
          <p>Every call an agent makes appears here at once.</p>
          <TourButton />
        </>
      )}
    </EmptyState>
  );
}
