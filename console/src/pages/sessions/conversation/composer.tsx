import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { api } from '../../../api/client.ts';
import type { Session } from '../../../api/schema.ts';
import { useForbiddenReason } from '../../../app/current-user.tsx';
import { useShortcut } from '../../../app/shortcuts.tsx';
import { useToaster } from '../../../app/toasts.tsx';
import { Button } from '../../../components/button.tsx';
import { Icon } from '../../../components/icon.tsx';
import { useHasTourTools } from '../../../components/tour-button.tsx';

const suggestions = ['ping the server', 'what tools do you have'];

/** The message input. Messages that are sent while a turn runs are queued. */
export function Composer({
  session,
  isRunning,
  isNew,
}: {
  readonly session: Session;
  readonly isRunning: boolean;
  readonly isNew: boolean;
}): ReactNode {
  const { id, queued } = session;
  const hasTourTools = useHasTourTools();
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const cache = useQueryClient();
  const toaster = useToaster();
  const refresh = (): void => void cache.invalidateQueries({ queryKey: ['sessions'] });
  const send = useMutation({
    mutationFn: (content: string) => api('POST /api/sessions/{id}/messages', { path: { id }, body: { content } }),
    onSuccess: (sent, content) => {
      setText((now) => (now.trim() === content ? '' : now));
      if (sent !== undefined && 'redacted' in sent && sent.redacted === true)
        toaster.success('A registered secret was removed from the message');
      refresh();
    },
    onError: (error) => toaster.error(error),
  });
  const interrupt = useMutation({
    mutationFn: () => api('POST /api/sessions/{id}/interrupt', { path: { id } }),
    onSuccess: refresh,
    onError: (error) => toaster.error(error),
  });
  const refusal = useForbiddenReason('POST /api/sessions/{id}/messages');
  const canInterrupt = useForbiddenReason('POST /api/sessions/{id}/interrupt') === undefined;
  useShortcut('i', 'Write a message', () => field.current?.focus(), { isOn: refusal === undefined });
  useShortcut('x', 'Interrupt the turn', () => interrupt.mutate(), { isOn: isRunning && canInterrupt });
  const submit = (): void => {
    const content = text.trim();
    if (content !== '' && !send.isPending) send.mutate(content);
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {isNew && session.model === 'demo' ? (
        <div className="suggestions">
          {[...(hasTourTools ? ['run the tour'] : []), ...suggestions].map((each) => (
            <Button key={each} operation="POST /api/sessions/{id}/messages" onClick={() => send.mutate(each)}>
              {each}
            </Button>
          ))}
        </div>
      ) : undefined}
      <div className="composer-box">
        <textarea
          ref={field}
          // A new session has nothing else to do, and no prompt whose keys the field would take.
          autoFocus={isNew && session.lastSeq === 0 && session.state === 'idle' && queued === 0}
          rows={1}
          aria-label="Message"
          placeholder={refusal ?? 'Message the agent'}
          disabled={refusal !== undefined}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') field.current?.blur();
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            submit();
          }}
        />
        {isRunning ? (
          <Button
            operation="POST /api/sessions/{id}/interrupt"
            icon="stop"
            isBusy={interrupt.isPending}
            onClick={() => interrupt.mutate()}
          >
            Stop
          </Button>
        ) : undefined}
        <button
          className="send"
          type="submit"
          aria-label="Send"
          title="Send (Enter)"
          disabled={text.trim() === '' || send.isPending}
        >
          <Icon name="send" />
        </button>
      </div>
      {queued > 0 ? (
        <p className="faint">{queued === 1 ? '1 message' : `${queued} messages`} queued until this turn ends</p>
      ) : undefined}
    </form>
  );
}
