import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ProblemError } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import type { Session } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { Composer } from './composer.tsx';
import { SessionHead } from './session-head.tsx';
import { Transcript } from './transcript.tsx';
import { useSessionView } from './use-session-view.ts';

/** So much of a long session is shown at first. */
const mostEvents = 20_000;

/** One conversation. */
export function SessionPage({ id }: { readonly id: string }): ReactNode {
  const { data: session, error } = useQuery(queries.session(id));
  const [isWhole, setWhole] = useState(false);
  if (error instanceof ProblemError && error.code === 'session-unknown')
    return (
      <EmptyState icon="sessions" title="This session is gone">
        <p>
          It was deleted, or the address is wrong. <Link to="/">See all sessions</Link>
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
  // Where it begins is decided once; the session's own last event moves on.
  const [from] = useState(() => (isWhole ? 0 : Math.max(0, session.lastSeq - mostEvents)));
  const { view, state } = useSessionView(session.id, from);
  const last = view.turns.at(-1);
  const isRunning = last !== undefined && last.done === undefined && session.state !== 'idle';
  return (
    <div className="session">
      <SessionHead session={session} status={view.status} stream={state} />
      <Transcript session={session} view={view} isRunning={isRunning}>
        {from === 0 ? undefined : (
          <Button kind="quiet" onClick={onWhole}>
            Show from the beginning
          </Button>
        )}
      </Transcript>
      <Composer session={session} isRunning={isRunning} isNew={view.turns.length === 0} />
    </div>
  );
}
