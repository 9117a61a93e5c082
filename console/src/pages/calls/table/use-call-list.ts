import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import type { CallEntry, CallPage, CallSettled } from '../../../api/schema.ts';
import { useLiveEvents } from '../../../live/live-events.tsx';
import { type CallFilters, toCallQuery } from '../call-filters.ts';

type Pages = InfiniteData<CallPage, number | undefined>;

/** The matching calls that are loaded so far, newest first. */
export interface CallList {
  readonly calls: readonly CallEntry[] | undefined;
  readonly error: Error | null;
  readonly isComplete: boolean;
  /** The time of the newest pruned entry, once all calls are loaded. */
  readonly prunedUntil: string | undefined;
  readonly isLoadingMore: boolean;
  /** The number of new calls that are held back while the user reads further down. */
  readonly held: number;
  loadMore(): void;
  showHeld(): void;
  retry(): void;
}

const pageSize = 200;
const batchMs = 250;

/** Loads pages of calls and adds new ones on top, unless `isReading` returns that a new row would move what the user reads. */
export function useCallList(filters: CallFilters, isReading: () => boolean): CallList {
  const cache = useQueryClient();
  const queryKey = useMemo(() => ['call-list', filters], [filters]);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam: before, signal }) =>
      api('GET /api/calls', { query: { ...toCallQuery(filters), limit: pageSize, before }, signal }),
    getNextPageParam: ({ next }) => next,
    // Recorded calls do not change: comparing every page with each new one is wasted work.
    structuralSharing: false,
    // Live events add new calls. Refetching all pages would move what the user reads.
    staleTime: 'static',
  });
  const [held, setHeld] = useState<readonly CallEntry[]>([]);
  const shown = useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);

  const fetchNew = useEffectEvent(async (): Promise<void> => {
    const newest = Math.max(0, ...[...held, ...(shown ?? []).slice(0, pageSize)].map(({ seq }) => seq));
    if (shown === undefined) return;
    const query = { ...toCallQuery(filters), after: newest, order: 'newest-first', limit: pageSize } as const;
    const page = await api('GET /api/calls', { query }).catch(() => undefined);
    if (page === undefined) return;
    if (page.next === undefined) take(page.items);
    else restart();
  });

  /** Starts over when more new calls arrived than one page holds. */
  const restart = (): void => {
    setHeld([]);
    cache.setQueryData<Pages>(queryKey, (pages) =>
      pages === undefined ? undefined : { pages: pages.pages.slice(0, 1), pageParams: pages.pageParams.slice(0, 1) },
    );
    void refetch();
  };

  const take = (found: readonly CallEntry[]): void => {
    const latest = new Map(found.map((call) => [call.callId, call]));
    const known = new Set((cache.getQueryData<Pages>(queryKey)?.pages ?? []).flatMap(idsOf));
    const fresh = found.filter(({ callId }) => !known.has(callId));
    cache.setQueryData<Pages>(queryKey, (pages) => withLatest(pages, latest));
    const mergeHeld = (previous: readonly CallEntry[]): readonly CallEntry[] => [
      ...fresh,
      ...previous.filter(({ callId }) => !latest.has(callId) && !known.has(callId)),
    ];
    if (isReading()) setHeld(mergeHeld);
    else {
      cache.setQueryData<Pages>(queryKey, (pages) => onTop(pages, mergeHeld(held)));
      setHeld([]);
    }
  };

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const scheduleFetch = useCallback((): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void fetchNew();
    }, batchMs);
  }, []);
  useLiveEvents(({ kind, event }) => {
    if (kind === 'ready') scheduleFetch();
    if (kind !== 'journal') return;
    if (event.type === 'CallStarted' || event.type === 'ToolInvoked') scheduleFetch();
    if (event.type === 'CallSettled') cache.setQueryData<Pages>(queryKey, (pages) => withSettled(pages, event));
  });
  // Fetch the calls that arrived while another page was open.
  useEffect(() => {
    if (cache.getQueryData(queryKey) !== undefined) scheduleFetch();
  }, [cache, queryKey, scheduleFetch]);

  return {
    calls: shown,
    error,
    isComplete: !hasNextPage,
    prunedUntil: data?.pages.at(-1)?.pruned?.at,
    isLoadingMore: isFetchingNextPage,
    held: held.length,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
    },
    showHeld: () => {
      if (held.length === 0) return;
      cache.setQueryData<Pages>(queryKey, (pages) => onTop(pages, held));
      setHeld([]);
    },
    retry: () => void refetch(),
  };
}

function idsOf({ items }: CallPage): readonly string[] {
  return items.map(({ callId }) => callId);
}

/** Updates calls in place, so that a call that was listed as running keeps its position. */
function withLatest(pages: Pages | undefined, latest: ReadonlyMap<string, CallEntry>): Pages | undefined {
  if (pages === undefined) return undefined;
  const changed = pages.pages.map((page) =>
    page.items.some(({ callId }) => latest.has(callId))
      ? { ...page, items: page.items.map((call) => latest.get(call.callId) ?? call) }
      : page,
  );
  return { ...pages, pages: changed };
}

function withSettled(pages: Pages | undefined, { callId, as, by, at, note }: CallSettled): Pages | undefined {
  const call = pages?.pages.flatMap(({ items }) => items).find((each) => each.callId === callId);
  if (call?.type !== 'ToolInvoked') return pages;
  return withLatest(pages, new Map([[callId, { ...call, settled: { as, by, at, note } }]]));
}

function onTop(pages: Pages | undefined, calls: readonly CallEntry[]): Pages | undefined {
  const [first, ...rest] = pages?.pages ?? [];
  if (pages === undefined || first === undefined || calls.length === 0) return pages;
  return { ...pages, pages: [{ ...first, items: [...calls, ...first.items] }, ...rest] };
}
