import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, createContext, use, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { type StreamState, openStream } from './event-stream.ts';
import type { LiveEvent } from './live-event.ts';
import { staleAfter } from './stale-after.ts';

interface Live {
  readonly state: StreamState;
  listen(listener: (live: LiveEvent) => void): () => void;
}

// The words of every session are not for every page: a session's own page listens to them itself.
const wanted = [
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
const gatherMs = 120;
const LiveContext = createContext<Live>({ state: 'connecting', listen: () => () => undefined });

/** One stream for the whole console. What it makes stale is looked up again, and whoever wants hears each event. */
export function LiveEvents({ children }: { readonly children: ReactNode }): ReactNode {
  const queries = useQueryClient();
  const [state, setState] = useState<StreamState>('connecting');
  const listeners = useMemo(() => new Set<(live: LiveEvent) => void>(), []);
  useEffect(() => {
    const stale = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const lookAgain = (): void => {
      timer = undefined;
      const keys = [...stale];
      stale.clear();
      if (keys.includes('*')) void queries.invalidateQueries();
      else for (const key of keys) void queries.invalidateQueries({ queryKey: [key] });
    };
    const close = openStream({
      address: (after) => `/api/events?types=${wanted.join(',')}${after === undefined ? '' : `&after=${after}`}`,
      events: kinds,
      whenHidden: 'one',
      onState: setState,
      onEvent: (kind, event) => {
        const live = { kind, event } as LiveEvent;
        for (const listener of listeners) listener(live);
        for (const key of staleAfter(live)) stale.add(key);
        // Many events in a row are one reason to look.
        if (stale.size > 0) timer ??= setTimeout(lookAgain, gatherMs);
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

/** Hears everything that happens while the component is there. */
export function useLiveEvents(hear: (live: LiveEvent) => void): void {
  const { listen } = use(LiveContext);
  const latest = useEffectEvent(hear);
  useEffect(() => listen((live) => latest(live)), [listen]);
}
