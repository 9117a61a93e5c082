import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { api } from '../../api/client.ts';
import type { Session } from '../../api/schema.ts';

/** The sessions that are loaded so far, last active first. */
export interface LoadedSessions {
  readonly sessions: readonly Session[] | undefined;
  readonly error: Error | null;
  readonly isComplete: boolean;
  /** Loads the next page. Absent at the end and while a page is loading. */
  readonly loadMore: (() => void) | undefined;
  retry(): void;
}

const pageSize = 100;

/** Loads pages of sessions; all pages for a search. */
export function useSessionList(wantsAll: boolean): LoadedSessions {
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['sessions', 'list', 'pages'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: after, signal }) => api('GET /api/sessions', { query: { limit: pageSize, after }, signal }),
    getNextPageParam: ({ next }) => next,
  });
  // A session that becomes active between two fetches is on both pages.
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
    isComplete: data !== undefined && !hasNextPage,
    loadMore: canLoad ? () => void fetchNextPage() : undefined,
    retry: () => void refetch(),
  };
}
