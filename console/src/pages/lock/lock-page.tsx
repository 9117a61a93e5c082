import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../api/queries.ts';
import type { ServerStanding } from '../../api/schema.ts';
import { PageHead } from '../../app/page-head.tsx';
import { Link } from '../../app/router.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { AcceptAll } from './accept-all.tsx';
import { ServerLock } from './server-lock.tsx';
import './lock.css';

const order: readonly ServerStanding['status'][] = ['changed', 'unlocked', 'down', 'missing', 'disabled', 'unchanged'];

/** Compares the current definitions of servers with the accepted ones, changed servers first. */
export function LockPage(): ReactNode {
  const { data: standings, error, refetch } = useQuery(queries.lock());
  const sorted = standings?.toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
  return (
    <div className="page lock">
      <PageHead
        title="Lock"
        about="The tool definitions that you accepted, or as first seen. A changed tool of a locked server is hidden until you accept it. A changed tool of another server asks at every call."
      />
      {error === null ? undefined : <ProblemNote error={error} onRetry={() => void refetch()} />}
      <AcceptAll changed={standings?.filter(({ status }) => status === 'changed') ?? []} />
      {sorted?.length === 0 ? (
        <EmptyState icon="lock" title="No external servers yet">
          <p>
            <Link to="/servers">Add a server</Link> to see its tool definitions here, and to lock them.
          </p>
        </EmptyState>
      ) : undefined}
      <ul className="standings" aria-label="Servers">
        {sorted?.map((standing) => (
          <li key={standing.server}>
            <ServerLock standing={standing} />
          </li>
        ))}
      </ul>
    </div>
  );
}
