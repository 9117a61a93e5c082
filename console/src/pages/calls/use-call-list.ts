import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import type { CallEntry, CallPage, CallSettled } from '../../api/schema.ts';
import { useLiveEvents } from '../../live/live.tsx';
import { type CallFilters, toQuery } from './filters.ts';

type Pages = InfiniteData<CallPage, number | undefined>;

/** The calls that fit, newest first, as far as they were scrolled to. */
export interface CallList {
  readonly calls: readonly CallEntry[] | undefined;
  readonly error: Error | null;
  readonly isWhole: boolean;
  /** When the last entry was made that was pruned, once everything was scrolled to. */
  readonly prunedUntil: string | undefined;
  readonly isLoadingMore: boolean;
  /** New ones that are kept back while somebody reads further down. */
  readonly held: number;
  loadMore(): void;
  showHeld(): void;
  retry(): void;
}

const pageSize = 200;
const gatherMs = 250;

/** Pages of calls, with new ones on top. `isReading` tells whether a new row would move what somebody reads. */
export function useCallList(filters: CallFilters, isReading: () => boolean): CallList {
  const cache = useQueryClient();
  const queryKey = useMemo(() => ['call-list', filters], [filters]);
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam: before, signal }) =>
      api('GET /api/calls', { query: { ...toQuery(filters), limit: pageSize, before }, signal }),
    getNextPageParam: ({ next }) => next,
    // What is recorded does not change: nothing is won by comparing every page with each new one.
    structuralSharing: false,
    // Live events bring what is new. Looking up all pages again would move what is read.
    staleTime: 'static',
  });
  const [held, setHeld] = useState<readonly CallEntry[]>([]);
  const shown = useMemo(() => data?.pages.flatMap(({ items }) => items), [data]);

  const look = useEffectEvent(async (): Promise<void> => {
    const newest = Math.max(0, ...[...held, ...(shown ?? []).slice(0, pageSize)].map(({ seq }) => seq));
    if (shown === undefined) return;
    const query = { ...toQuery(filters), after: newest, order: 'newest-first', limit: pageSize } as const;
    const page = await api('GET /api/calls', { query }).catch(() => undefined);
    if (page === undefined) return;
    if (page.next === undefined) take(page.items);
    else beginAgain();
  });

  /** So many came that there would be a gap. */
  const beginAgain = (): void => {
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
    const together = (kept: readonly CallEntry[]): readonly CallEntry[] => [
      ...fresh,
      ...kept.filter(({ callId }) => !latest.has(callId) && !known.has(callId)),
    ];
    if (isReading()) setHeld(together);
    else {
      cache.setQueryData<Pages>(queryKey, (pages) => onTop(pages, together(held)));
      setHeld([]);
    }
  };

  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const lookSoon = useCallback((): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void look();
    }, gatherMs);
  }, []);
  useLiveEvents(({ kind, event }) => {
    if (kind === 'ready') lookSoon();
    if (kind !== 'journal') return;
    if (event.type === 'CallStarted' || event.type === 'ToolInvoked') lookSoon();
    if (event.type === 'CallSettled') cache.setQueryData<Pages>(queryKey, (pages) => withSettled(pages, event));
  });
  // What came while another page was open.
  useEffect(() => {
    if (cache.getQueryData(queryKey) !== undefined) lookSoon();
  }, [cache, queryKey, lookSoon]);

  return {
    calls: shown,
    error,
    isWhole: !hasNextPage,
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

/** A call that was running when it was listed keeps its place. */
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
