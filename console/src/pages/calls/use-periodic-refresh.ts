import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLiveEvents } from '../../live/live-events.tsx';

const pauseMs = 3000;

/** Refetches an aggregate query after new calls, at most every three seconds. */
export function usePeriodicRefresh(queryKey: readonly unknown[]): void {
  const cache = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLiveEvents(({ kind, event }) => {
    if (kind !== 'journal' || event.type !== 'ToolInvoked') return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void cache.invalidateQueries({ queryKey });
    }, pauseMs);
  });
}
