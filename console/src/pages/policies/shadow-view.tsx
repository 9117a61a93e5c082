import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import type { CallEntry } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { DecisionBadge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

const pageSize = 200;

/** What rules in shadow mode would have done, had they been in force. */
export function ShadowView(): ReactNode {
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: ['shadow'],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam: before, signal }) => {
      const query = { shadowed: 'true', before, limit: pageSize } as const;
      return api('GET /api/calls', { query, signal });
    },
    getNextPageParam: ({ next }) => next,
  });
  if (error !== null) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return undefined;
  const rows = data.pages.flatMap(({ items }) => items).flatMap(differences);
  const byRule = [...Map.groupBy(rows, ({ rule, answer }) => `${answer} ${rule}`).values()];
  return (
    <section className="shadow" aria-label="Shadow results">
      {rows.length === 0 ? (
        <EmptyState icon="policies" title="No rule in shadow mode would have changed a call">
          <p>
            A rule with <code>mode: shadow</code> decides nothing: try one before it counts. What it would have said is
            recorded with each call and told here.
          </p>
        </EmptyState>
      ) : (
        <>
          <ul className="ways" aria-label="By rule">
            {byRule.map((group) => {
              const [first] = group;
              return first === undefined ? undefined : (
                <li key={`${first.rule} ${first.answer}`}>
                  {first.rule} <DecisionBadge answer={first.answer} /> <strong>{group.length}</strong>
                </li>
              );
            })}
          </ul>
          <div className="card">
            <DataTable
              label="Calls that shadow rules would have changed"
              head={['Time', 'Tool', 'Decided', 'In shadow']}
              kind="words"
            >
              {rows.map(({ call, was, answer, rule, reason }) => (
                <tr key={`${call.callId} ${rule}`}>
                  <td>
                    <Moment at={call.at} />
                  </td>
                  <th scope="row">
                    <Link to={`/calls/${call.callId}`}>{call.tool}</Link>
                  </th>
                  <td>
                    <DecisionBadge answer={was.answer} /> {was.rule}
                  </td>
                  <td>
                    <DecisionBadge answer={answer} /> {rule} <span className="faint">{reason}</span>
                  </td>
                </tr>
              ))}
            </DataTable>
          </div>
          {hasNextPage ? (
            <Button isBusy={isFetching} onClick={() => void fetchNextPage()}>
              Look further back
            </Button>
          ) : undefined}
        </>
      )}
    </section>
  );
}

interface Difference {
  readonly call: CallEntry;
  readonly was: NonNullable<CallEntry['decision']>;
  readonly answer: 'allow' | 'ask' | 'deny';
  readonly rule: string;
  readonly reason: string;
}

function differences(call: CallEntry): readonly Difference[] {
  const { decision } = call;
  if (decision === undefined) return [];
  return (decision.shadow ?? [])
    .filter(({ answer }) => answer !== decision.answer)
    .map((said) => ({ call, was: decision, ...said }));
}
