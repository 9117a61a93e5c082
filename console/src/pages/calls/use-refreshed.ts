import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useLiveEvents } from '../../live/live.tsx';

const pauseMs = 3000;

/** Looks up again what counts or draws many calls when there are new ones, but not for each of them. */
export function useRefreshed(queryKey: readonly unknown[]): void {
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
