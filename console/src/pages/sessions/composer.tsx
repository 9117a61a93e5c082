import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import type { Session } from '../../api/schema.ts';
import { useRefusal } from '../../app/reader.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { useTell } from '../../app/toasts.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';

const tries = ['run the tour', 'ping the server', 'what tools do you have'];

/** Where the human speaks. A message that comes while a turn runs waits for its end. */
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
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const cache = useQueryClient();
  const tell = useTell();
  const lookAgain = (): void => void cache.invalidateQueries({ queryKey: ['sessions'] });
  const send = useMutation({
    mutationFn: (content: string) => api('POST /api/sessions/{id}/messages', { path: { id }, body: { content } }),
    onSuccess: (sent, content) => {
      setText((now) => (now.trim() === content ? '' : now));
      if (sent !== undefined && 'redacted' in sent && sent.redacted === true)
        tell.done('A registered secret was taken out of the message.');
      lookAgain();
    },
    onError: (error) => tell.problem(error),
  });
  const interrupt = useMutation({
    mutationFn: () => api('POST /api/sessions/{id}/interrupt', { path: { id } }),
    onSuccess: lookAgain,
    onError: (error) => tell.problem(error),
  });
  const refusal = useRefusal('POST /api/sessions/{id}/messages');
  const mayInterrupt = useRefusal('POST /api/sessions/{id}/interrupt') === undefined;
  useShortcut('i', 'Write a message', () => field.current?.focus(), { isOn: refusal === undefined });
  useShortcut('x', 'Interrupt the turn', () => interrupt.mutate(), { isOn: isRunning && mayInterrupt });
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
        <div className="tries">
          {tries.map((each) => (
            <Button key={each} asks="POST /api/sessions/{id}/messages" onClick={() => send.mutate(each)}>
              {each}
            </Button>
          ))}
        </div>
      ) : undefined}
      <div className="composer-box">
        <textarea
          ref={field}
          rows={1}
          aria-label="Message"
          placeholder={refusal ?? 'Say something to the agent'}
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
            asks="POST /api/sessions/{id}/interrupt"
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
        <p className="faint">{queued === 1 ? '1 message waits' : `${queued} messages wait`} for this turn to end.</p>
      ) : undefined}
    </form>
  );
}
