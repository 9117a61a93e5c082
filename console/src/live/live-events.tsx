import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, createContext, use, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { type StreamState, openStream } from './event-stream.ts';
import type { LiveEvent } from './live-event.ts';
import { staleQueryKeys } from './stale-queries.ts';

interface Live {
  readonly state: StreamState;
  listen(listener: (live: LiveEvent) => void): () => void;
}

// Text deltas are left out: the page of a session has a stream of its own for them.
const eventTypes = [
  'journal',
  'catalog',
  'approval',
  'user_message',
  'approval_required',
  'approval_resolved',
  'question_prompt',
  'question_answered',
  'elicitation_required',
  'elicitation_resolved',
  'error',
  'done',
];
const kinds: readonly LiveEvent['kind'][] = ['journal', 'session', 'catalog', 'approval', 'ready'];
const batchMs = 120;
const LiveContext = createContext<Live>({ state: 'connecting', listen: () => () => undefined });

/** Holds the event stream of the console, invalidates the queries that events make stale, and notifies listeners. */
export function LiveEvents({ children }: { readonly children: ReactNode }): ReactNode {
  const queries = useQueryClient();
  const [state, setState] = useState<StreamState>('connecting');
  const listeners = useMemo(() => new Set<(live: LiveEvent) => void>(), []);
  useEffect(() => {
    const stale = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer = undefined;
      const keys = [...stale];
      stale.clear();
      if (keys.includes('*')) void queries.invalidateQueries();
      else for (const key of keys) void queries.invalidateQueries({ queryKey: [key] });
    };
    const close = openStream({
      address: (after) => `/api/events?types=${eventTypes.join(',')}${after === undefined ? '' : `&after=${after}`}`,
      events: kinds,
      whenHidden: 'one',
      onState: setState,
      onEvent: (kind, event) => {
        const live = { kind, event } as LiveEvent;
        for (const listener of listeners) listener(live);
        for (const key of staleQueryKeys(live)) stale.add(key);
        // Batch events that arrive together.
        if (stale.size > 0) timer ??= setTimeout(refresh, batchMs);
      },
    });
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [queries, listeners]);
  const live = useMemo<Live>(
    () => ({
      state,
      listen(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    }),
    [state, listeners],
  );
  return <LiveContext value={live}>{children}</LiveContext>;
}

export function useLiveState(): StreamState {
  return use(LiveContext).state;
}

/** Calls the listener for every live event while the component is mounted. */
export function useLiveEvents(listener: (live: LiveEvent) => void): void {
  const { listen } = use(LiveContext);
  const latest = useEffectEvent(listener);
  useEffect(() => listen((live) => latest(live)), [listen]);
}
