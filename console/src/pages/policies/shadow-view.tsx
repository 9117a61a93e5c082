import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import type { CallEntry } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { DecisionBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Timestamp } from '../../components/time.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';

const pageSize = 200;

/** Lists the calls that rules in shadow mode would have decided differently. */
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
        <EmptyState icon="policies" title="No shadow results">
          <p>
            A rule with <code>mode: shadow</code> decides nothing. The calls that it would have decided differently
            appear here.
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
                    <Timestamp at={call.at} />
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
              Load older calls
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
