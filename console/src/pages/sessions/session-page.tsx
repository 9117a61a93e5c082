import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../api/queries.ts';
import { PageHead } from '../../app/page-head.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

/** One conversation. */
export function SessionPage({ id }: { readonly id: string }): ReactNode {
  const { data: session, error } = useQuery(queries.session(id));
  return (
    <div className="page">
      {error === null ? undefined : <ProblemNote error={error} />}
      {session === undefined ? undefined : <PageHead title={session.title} />}
    </div>
  );
}
