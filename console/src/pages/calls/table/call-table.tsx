import { useQuery } from '@tanstack/react-query';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, memo, useEffect, useRef, useState } from 'react';
import { queries } from '../../../api/queries.ts';
import type { CallEntry } from '../../../api/schema.ts';
import { Link } from '../../../app/router.tsx';
import { useShortcut } from '../../../app/shortcuts.tsx';
import { Badge, DecisionBadge, OutcomeBadge } from '../../../components/badge.tsx';
import { Button } from '../../../components/button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Timestamp, formatDuration } from '../../../components/time.tsx';
import { PrincipalName } from '../../../components/calls/principal-name.tsx';
import { ProblemNote } from '../../../components/problem-note.tsx';
import { TourButton } from '../../../components/tour-button.tsx';
import { type CallFilters, callsUrl } from '../call-filters.ts';
import { PrunedNote } from '../pruned-note.tsx';
import { useCallList } from './use-call-list.ts';

/** The scroll positions by address, restored when the user comes back from a call. */
const scrollOffsets = new Map<string, number>();
const narrow = matchMedia('(max-width: 48rem)');

/** A virtualized table of calls. `j` and `k` move between rows. */
export function CallTable({ filters }: { readonly filters: CallFilters }): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const list = useCallList(filters, () => {
    const { current } = frame;
    return current !== null && (current.scrollTop > 0 || current.contains(document.activeElement));
  });
  const { calls = [] } = list;
  const { data: undone } = useQuery(queries.undone());
  const place = callsUrl(filters);
  const [rowHeight] = useState(() => (narrow.matches ? 64 : 36));
  const virtual = useVirtualizer({
    count: calls.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    initialOffset: scrollOffsets.get(place) ?? 0,
    getItemKey: (index) => calls[index]?.callId ?? index,
  });
  const rows = virtual.getVirtualItems();
  const last = rows.at(-1)?.index ?? -1;
  const { isComplete, isLoadingMore, loadMore, error } = list;
  useEffect(() => {
    if (last >= calls.length - 60 && !isComplete && !isLoadingMore && error === null) loadMore();
  }, [last, calls.length, isComplete, isLoadingMore, loadMore, error]);

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
          scrollOffsets.set(place, scrollTop);
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
                aria-setsize={isComplete ? calls.length : -1}
              >
                <CallRow call={call} isUndone={undone?.includes(call.callId) === true} />
              </li>
            );
          })}
        </ul>
      </div>
      {error === null ? undefined : <ProblemNote error={error} onRetry={loadMore} />}
      <p className="faint call-foot" role="status">
        {list.calls === undefined
          ? 'Loading…'
          : `${calls.length.toLocaleString('en')} ${calls.length === 1 ? 'call' : 'calls'}${isComplete ? '' : ' loaded; scroll for more'}`}{' '}
        {pruned}
      </p>
    </div>
  );
}

const CallRow = memo(function CallRow({
  call,
  isUndone,
}: {
  readonly call: CallEntry;
  readonly isUndone: boolean;
}): ReactNode {
  const { callId, at, tool, server, decision, principal } = call;
  return (
    <Link to={`/calls/${callId}`} className="call-row">
      <span className="call-time">
        <Timestamp at={at} />
      </span>
      <span className="call-tool">
        <code>{tool}</code>
        {server === undefined ? <span className="faint"> no server</span> : undefined}
      </span>
      <span>{decision === undefined ? undefined : <DecisionBadge answer={decision.answer} />}</span>
      <span>{isUndone ? <Badge tone="gray">undone</Badge> : <CallOutcomeBadge call={call} />}</span>
      <span className="call-duration">
        {call.type === 'ToolInvoked' && call.durationMs !== null ? formatDuration(call.durationMs) : ''}
      </span>
      <span className="call-principal faint">
        <PrincipalName of={principal} />
      </span>
    </Link>
  );
});

/** The outcome of a call, or the one that a human recorded. */
export function CallOutcomeBadge({ call }: { readonly call: CallEntry }): ReactNode {
  if (call.type === 'CallStarted') return <Badge tone="blue">running</Badge>;
  if (call.settled !== undefined) return <Badge tone="gray">{`unknown, settled: ${call.settled.as}`}</Badge>;
  return <OutcomeBadge outcome={call.outcome} />;
}

function NoCalls({ isFiltered, pruned }: { readonly isFiltered: boolean; readonly pruned: ReactNode }): ReactNode {
  return (
    <EmptyState icon="calls" title={isFiltered ? 'No calls match these filters' : 'No calls yet'}>
      {pruned}
      {isFiltered ? (
        <p>
          <Link to="/calls">Show all calls</Link>
        </p>
      ) : (
        <>
          <p>Calls of agents appear here as they happen.</p>
          <TourButton />
        </>
      )}
    </EmptyState>
  );
}
