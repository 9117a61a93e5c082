import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../api/queries.ts';
import type { ServerStanding } from '../../api/schema.ts';
import { PageHead } from '../../app/page-head.tsx';
import { Link } from '../../app/router.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { AcceptAll } from './accept-all.tsx';
import { Standing } from './standing.tsx';

const order: readonly ServerStanding['status'][] = ['changed', 'unlocked', 'down', 'missing', 'disabled', 'unchanged'];

/** What servers say now, beside what was accepted of them; what changed first. */
export function LockPage(): ReactNode {
  const { data: standings, error, refetch } = useQuery(queries.lock());
  const sorted = standings?.toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status));
  return (
    <div className="page lock">
      <PageHead
        title="Lock"
        about="The definitions that were first seen, or that you accepted. A tool of a locked server that changes is not offered until you have looked at it; one of another server asks each time."
      />
      {error === null ? undefined : <ProblemNote error={error} onRetry={() => void refetch()} />}
      <AcceptAll changed={standings?.filter(({ status }) => status === 'changed') ?? []} />
      {sorted?.length === 0 ? (
        <EmptyState icon="lock" title="Nothing to lock yet">
          <p>
            <Link to="/servers">Add a server</Link>, then accept what it says: from then on nothing of it changes
            unseen.
          </p>
        </EmptyState>
      ) : undefined}
      <ul className="standings" aria-label="Servers">
        {sorted?.map((standing) => (
          <li key={standing.server}>
            <Standing standing={standing} />
          </li>
        ))}
      </ul>
    </div>
  );
}
