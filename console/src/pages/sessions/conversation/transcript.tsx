import { useQuery } from '@tanstack/react-query';
import { type ReactNode, memo, useEffect, useRef } from 'react';
import { queries } from '../../../api/queries.ts';
import type { Session } from '../../../api/schema.ts';
import { Icon } from '../../../components/icon.tsx';
import { MarkdownView } from '../../../components/text/markdown-view.tsx';
import type { SessionView, ShownPart, ShownTurn } from './session-view.ts';
import { ToolCard } from './tool-card.tsx';

const nearPx = 80;

/** The conversation. Follows new content while the user is at the end. */
export function Transcript({
  session,
  view,
  isRunning,
  children,
}: {
  readonly session: Session;
  readonly view: SessionView;
  readonly isRunning: boolean;
  readonly children?: ReactNode;
}): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const { data: undone } = useQuery(queries.undone(session.id));
  const asking = firstPendingApproval(view);
  useEffect(() => {
    const element = frame.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [view, asking]);
  // Expanding or loading content also changes the height.
  useEffect(() => {
    const inner = frame.current?.firstElementChild;
    if (inner === null || inner === undefined) return undefined;
    const observer = new ResizeObserver(() => {
      if (frame.current !== null && isAtEnd.current) frame.current.scrollTop = frame.current.scrollHeight;
    });
    observer.observe(inner);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      className="transcript"
      ref={frame}
      role="log"
      aria-label="Conversation"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearPx;
      }}
    >
      <div className="transcript-inner">
        {children}
        {view.turns.map((turn, index) => (
          <Turn
            key={turn.key}
            turn={turn}
            session={session.id}
            isRunning={isRunning && index === view.turns.length - 1}
            asking={asking}
            undone={undone}
          />
        ))}
      </div>
    </div>
  );
}

/** Returns the first pending approval, which receives the keyboard shortcuts. */
function firstPendingApproval({ turns }: SessionView): string | undefined {
  const last = turns.at(-1);
  if (last === undefined || last.done !== undefined) return undefined;
  for (const part of last.parts) {
    if (part.kind !== 'call' || part.result !== undefined) continue;
    const open = part.approvals.find(({ resolved }) => resolved === undefined);
    if (open !== undefined) return open.asked.approvalId;
  }
  return undefined;
}

interface TurnContext {
  readonly session: string;
  readonly isRunning: boolean;
  /** Whether the turn is over: calls without a result will not get one. */
  readonly isOver: boolean;
  readonly asking: string | undefined;
  readonly undone: readonly string[] | undefined;
}

const Turn = memo(function Turn({
  turn,
  ...rest
}: Omit<TurnContext, 'isOver'> & { readonly turn: ShownTurn }): ReactNode {
  const { message, parts, done } = turn;
  const context = { ...rest, isOver: done !== undefined };
  return (
    <article className="turn">
      {message === undefined ? undefined : (
        <div className="said">
          <span className="unseen">{message.by}</span>
          <p>{message.content}</p>
        </div>
      )}
      {parts.map((part, index) => (
        <Part key={part.key} part={part} isLast={index === parts.length - 1} {...context} />
      ))}
      {context.isRunning && parts.at(-1)?.kind !== 'call' ? (
        <p className="working faint" role="status">
          <span className="dot" />
          Working
        </p>
      ) : undefined}
      {done === undefined || done === 'end' ? undefined : <p className="ended faint">{endings[done]}</p>}
    </article>
  );
});

const endings = {
  interrupted: 'Interrupted',
  error: 'Ended with an error',
  limit: 'Stopped at a limit',
} as const;

function Part({
  part,
  isLast,
  ...context
}: TurnContext & { readonly part: ShownPart; readonly isLast: boolean }): ReactNode {
  switch (part.kind) {
    case 'text':
      return <MarkdownView text={part.text} />;
    case 'thinking':
      return (
        <details className="thinking">
          <summary>{isLast && context.isRunning ? 'Thinking…' : 'Thought'}</summary>
          <MarkdownView text={part.text} />
        </details>
      );
    case 'error':
      return (
        <div className="note red" role="alert">
          <Icon name="warning" />
          <div className="note-text">
            <p>{part.message}</p>
            <code className="faint">{part.code}</code>
          </div>
        </div>
      );
    case 'call':
      return <ToolCard call={part} {...context} />;
  }
}
