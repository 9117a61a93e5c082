import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { api } from '../../api/client.ts';
import type { Session } from '../../api/schema.ts';

/** The sessions, last active first, as far as they were scrolled to. */
export interface SessionList {
  readonly sessions: readonly Session[] | undefined;
  readonly error: Error | null;
  readonly isWhole: boolean;
  /** Loads more, where there is more and nothing is on its way. */
  readonly loadMore: (() => void) | undefined;
  retry(): void;
}

const pageSize = 100;

/** Pages of sessions; all of them where somebody looks for one. */
export function useSessionList(wantsAll: boolean): SessionList {
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['sessions', 'list', 'pages'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: after, signal }) => api('GET /api/sessions', { query: { limit: pageSize, after }, signal }),
    getNextPageParam: ({ next }) => next,
  });
  // What becomes active while pages are read stands on two of them.
  const sessions = useMemo(
    () => data && [...new Map(data.pages.flatMap(({ items }) => items).map((each) => [each.id, each])).values()],
    [data],
  );
  const canLoad = hasNextPage && !isFetching && error === null;
  useEffect(() => {
    if (wantsAll && canLoad) void fetchNextPage();
  }, [wantsAll, canLoad, fetchNextPage]);
  return {
    sessions,
    error,
    isWhole: data !== undefined && !hasNextPage,
    loadMore: canLoad ? () => void fetchNextPage() : undefined,
    retry: () => void refetch(),
  };
}
