import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import type { Session } from '../../api/schema.ts';
import { PageHead } from '../../app/page-head.tsx';
import { Link } from '../../app/router.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { SessionBadge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { TimeAgo } from '../../parts/time-ago.tsx';
import { FirstSteps } from './first-steps.tsx';
import { NewSession } from './new-session.tsx';

/** Every conversation with an agent. */
export function SessionsPage(): ReactNode {
  const { data: sessions, error, refetch } = useQuery(queries.sessions());
  const [isNew, setNew] = useState(false);
  const [search, setSearch] = useState('');
  useShortcut('n', 'New session', () => setNew(true));
  const words = search.toLowerCase();
  const shown = sessions?.filter(({ title, agent, cwd }) => `${title} ${agent} ${cwd}`.toLowerCase().includes(words));
  return (
    <div className="page">
      <PageHead title="Sessions" about="Conversations with agents. Every tool call in them passes through here.">
        <Button kind="primary" icon="plus" shortcut="n" onClick={() => setNew(true)}>
          New session
        </Button>
      </PageHead>
      {error === null ? undefined : <ProblemNote error={error} onRetry={() => void refetch()} />}
      {sessions !== undefined && sessions.length > 5 ? (
        <SearchField label="Search sessions" value={search} onChange={setSearch} />
      ) : undefined}
      {shown === undefined || shown.length === 0 ? undefined : (
        <ul className="session-list card" aria-label="Sessions">
          {shown.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      )}
      {sessions !== undefined && shown?.length === 0 && sessions.length > 0 ? (
        <p className="faint">No session fits “{search}”.</p>
      ) : undefined}
      {sessions?.length === 0 ? <FirstSteps onNew={() => setNew(true)} /> : undefined}
      {isNew ? <NewSession onClose={() => setNew(false)} /> : undefined}
    </div>
  );
}

function SessionRow({ session }: { readonly session: Session }): ReactNode {
  const { id, title, state, agent, model, cwd, activeAt, forkedFrom } = session;
  return (
    <li>
      <Link to={`/sessions/${id}`} className="session-row">
        <span className="session-title">
          {forkedFrom === undefined ? undefined : <Icon name="fork" />}
          <span>{title}</span>
        </span>
        {state === 'idle' || state === 'expired' ? undefined : <SessionBadge state={state} />}
        <span className="session-facts faint">
          <span>{agent === model ? agent : [agent, model].filter((part) => part !== undefined).join(' · ')}</span>
          <span className="session-cwd">{cwd}</span>
        </span>
        <span className="session-time faint">
          <TimeAgo at={activeAt} />
        </span>
      </Link>
    </li>
  );
}
