import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SessionEvent } from '../../../api/schema.ts';
import { type StreamState, openStream } from '../../../live/event-stream.ts';
import { type SessionView, emptyView, applyEvents } from './session-view.ts';

const types: readonly SessionEvent['type'][] = [
  'user_message',
  'text_delta',
  'thinking_delta',
  'tool_call_start',
  'tool_call_delta',
  'tool_call_end',
  'tool_progress',
  'tool_result',
  'approval_required',
  'approval_resolved',
  'question_prompt',
  'question_answered',
  'elicitation_required',
  'elicitation_resolved',
  'sampling_result',
  'session_status',
  'error',
  'done',
];
// One screen frame.
const batchMs = 16;

/** Follows a session live from an event on, without gaps. */
export function useSessionView(id: string, after: number): { readonly view: SessionView; readonly state: StreamState } {
  const [view, setView] = useState(emptyView);
  const [state, setState] = useState<StreamState>('connecting');
  const cache = useQueryClient();
  useEffect(() => {
    let pending: SessionEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      const events = pending;
      pending = [];
      timer = undefined;
      setView((before) => applyEvents(before, events));
    };
    const close = openStream({
      address: (last) => `/api/sessions/${encodeURIComponent(id)}/events?after=${last ?? after}`,
      events: types,
      whenHidden: 'none',
      onState: (now) => {
        setState(now);
        // The session may have been deleted.
        if (now === 'reconnecting') void cache.invalidateQueries({ queryKey: ['sessions', id] });
      },
      onEvent: (_name, event) => {
        pending.push(event as SessionEvent);
        timer ??= setTimeout(show, batchMs);
      },
    });
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [id, after, cache]);
  return { view, state };
}
