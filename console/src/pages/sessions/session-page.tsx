import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ProblemError } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { Session } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Composer } from './conversation/composer.tsx';
import { SessionHead } from './conversation/session-head.tsx';
import { Transcript } from './conversation/transcript.tsx';
import { useSessionView } from './conversation/use-session-view.ts';
import './conversation/conversation.css';

/** The number of events of a long session that are loaded at first. */
const maxInitialEvents = 20_000;

/** The page of one session. */
export function SessionPage({ id }: { readonly id: string }): ReactNode {
  const { data: session, error } = useQuery(queries.session(id));
  const [isWhole, setWhole] = useState(false);
  if (error instanceof ProblemError && error.code === 'session-unknown')
    return (
      <EmptyState icon="sessions" title="Session not found">
        <p>
          It was deleted, or the address is wrong. <Link to="/">View all sessions</Link>
        </p>
      </EmptyState>
    );
  if (session === undefined)
    return <div className="page">{error === null ? undefined : <ProblemNote error={error} />}</div>;
  return <Conversation key={String(isWhole)} session={session} isWhole={isWhole} onWhole={() => setWhole(true)} />;
}

function Conversation({
  session,
  isWhole,
  onWhole,
}: {
  readonly session: Session;
  readonly isWhole: boolean;
  readonly onWhole: () => void;
}): ReactNode {
  // Fixed on the first render: `lastSeq` grows while the session runs.
  const [from] = useState(() => (isWhole ? 0 : Math.max(0, session.lastSeq - maxInitialEvents)));
  const { view, state } = useSessionView(session.id, from);
  const last = view.turns.at(-1);
  const isRunning = last !== undefined && last.done === undefined && session.state !== 'idle';
  return (
    <div className="session">
      <SessionHead session={session} status={view.status} stream={state} />
      <Transcript session={session} view={view} isRunning={isRunning}>
        {from === 0 ? undefined : (
          <Button kind="quiet" onClick={onWhole}>
            Load earlier messages
          </Button>
        )}
      </Transcript>
      <Composer session={session} isRunning={isRunning} isNew={view.turns.length === 0} />
    </div>
  );
}
