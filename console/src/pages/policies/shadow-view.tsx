import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client.ts';
import type { CallEntry } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { DecisionBadge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';

const pageSize = 1000;
const mostListed = 200;

/** What rules in shadow mode would have done, had they been in force. */
export function ShadowView(): ReactNode {
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: ['shadow'],
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam: before, signal }) => {
      const { items, next } = await api('GET /api/calls', { query: { before, limit: pageSize }, signal });
      return { looked: items.length, found: items.filter(hasShadow), next };
    },
    getNextPageParam: ({ next }) => next,
  });
  if (error !== null) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return undefined;
  const looked = data.pages.reduce((sum, page) => sum + page.looked, 0);
  const rows = data.pages.flatMap(({ found }) => found).flatMap(differences);
  const byRule = [...Map.groupBy(rows, ({ rule, answer }) => `${answer} ${rule}`).values()];
  return (
    <section className="shadow" aria-label="Shadow results">
      <div className="backtest-head">
        <p role="status">
          {rows.length === 0
            ? `No rule in shadow mode would have changed one of the newest ${looked.toLocaleString('en')} calls.`
            : `In the newest ${looked.toLocaleString('en')} calls:`}
        </p>
        {hasNextPage ? (
          <Button isBusy={isFetching} onClick={() => void fetchNextPage()}>
            Look further back
          </Button>
        ) : undefined}
      </div>
      {rows.length === 0 ? (
        <EmptyState icon="policies" title="Try a rule before it counts">
          <p>
            A rule with <code>mode: shadow</code> decides nothing. What it would have said is recorded with each call and
            told here.
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
          <div className="card wide-table" role="group" aria-label="Calls that shadow rules would have changed" tabIndex={0}>
            <table className="changed">
              <thead>
                <tr>
                  <th scope="col">Time</th>
                  <th scope="col">Tool</th>
                  <th scope="col">Decided</th>
                  <th scope="col">In shadow</th>
                </tr>
              </thead>
              <tbody>
                {rows.slice(0, mostListed).map(({ call, was, answer, rule, reason }) => (
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
              </tbody>
            </table>
          </div>
          {rows.length > mostListed ? <p className="faint">The newest {mostListed} are listed.</p> : undefined}
        </>
      )}
    </section>
  );
}

function hasShadow({ decision }: CallEntry): boolean {
  return (decision?.shadow?.length ?? 0) > 0;
}

interface Difference {
  readonly call: CallEntry;
  readonly was: NonNullable<CallEntry['decision']>;
  readonly answer: 'allow' | 'ask' | 'deny';
  readonly rule: string;
  readonly reason: string;
}

/** What a shadow rule says counts where it is stricter than, or other than, what was said. */
function differences(call: CallEntry): readonly Difference[] {
  const { decision } = call;
  if (decision === undefined) return [];
  return (decision.shadow ?? [])
    .filter(({ answer }) => answer !== decision.answer)
    .map((said) => ({ call, was: decision, ...said }));
}
