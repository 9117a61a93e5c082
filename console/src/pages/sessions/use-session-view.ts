import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { SessionEvent } from '../../api/schema.ts';
import { type StreamState, openStream } from '../../live/event-stream.ts';
import { type SessionView, emptyView, withEvents } from './session-view.ts';

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
// As often as a screen shows something new.
const gatherMs = 16;

/** Follows a session from an event on, live and without a gap. */
export function useSessionView(id: string, after: number): { readonly view: SessionView; readonly state: StreamState } {
  const [view, setView] = useState(emptyView);
  const [state, setState] = useState<StreamState>('connecting');
  const cache = useQueryClient();
  useEffect(() => {
    let heard: SessionEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      const events = heard;
      heard = [];
      timer = undefined;
      setView((before) => withEvents(before, events));
    };
    const close = openStream({
      address: (last) => `/api/sessions/${encodeURIComponent(id)}/events?after=${last ?? after}`,
      events: types,
      whenHidden: 'none',
      onState: (now) => {
        setState(now);
        // It may have been deleted.
        if (now === 'reconnecting') void cache.invalidateQueries({ queryKey: ['sessions', id] });
      },
      onEvent: (_name, event) => {
        heard.push(event as SessionEvent);
        timer ??= setTimeout(show, gatherMs);
      },
    });
    return () => {
      clearTimeout(timer);
      close();
    };
  }, [id, after, cache]);
  return { view, state };
}
