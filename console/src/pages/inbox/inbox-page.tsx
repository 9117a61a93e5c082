import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../api/queries.ts';
import { PageHead } from '../../app/page-head.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';

/** Everything that waits for a human. */
export function InboxPage(): ReactNode {
  const { data: waiting } = useQuery(queries.approvals());
  return (
    <div className="page">
      <PageHead title="Inbox" about="Calls that wait for an answer, of every session and MCP client." />
      {waiting?.length === 0 ? (
        <EmptyState icon="check" title="Nothing waits for you">
          <p>When a call needs an answer it appears here at once.</p>
        </EmptyState>
      ) : undefined}
    </div>
  );
}
