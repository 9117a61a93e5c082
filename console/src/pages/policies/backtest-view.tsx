import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import type { Backtest, Decision } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { DecisionBadge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Moment } from '../../parts/moment.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { spans } from '../calls/filters.ts';
import type { Draft } from './draft.ts';

const mostShown = 500;

/** The rules as they are written, on the calls that were recorded: which would be decided otherwise? */
export function BacktestView({ draft: { text, isChanged } }: { readonly draft: Draft }): ReactNode {
  const [span, setSpan] = useState('7d');
  const run = useMutation({
    mutationFn: () => {
      const ms = spans[span]?.ms;
      const since = ms === undefined ? undefined : new Date(Date.now() - ms).toISOString();
      return api('POST /api/policies/backtest', { body: { text, since, limit: mostShown } });
    },
  });
  return (
    <section className="backtest" aria-label="Backtest">
      <div className="backtest-head">
        <p>
          {isChanged
            ? 'Decides the recorded calls again by the rules in the editor, which are not saved.'
            : 'Decides the recorded calls again by the rules in the editor, which are those of the file.'}{' '}
          <Link to="/policies">Edit them</Link>
        </p>
        <label className="choice">
          <span className="unseen">Calls of</span>
          <select value={span} onChange={(event) => setSpan(event.target.value)}>
            {Object.entries(spans).map(([value, { name }]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
            <option value="all">All the time</option>
          </select>
        </label>
        <Button kind="primary" isBusy={run.isPending} onClick={() => run.mutate()}>
          Run the backtest
        </Button>
      </div>
      {run.error === null ? undefined : <ProblemNote error={run.error} />}
      {run.data === undefined ? undefined : <Result {...run.data} />}
    </section>
  );
}

function Result({ calls, skipped, changed, changedTotal }: Backtest): ReactNode {
  const ways = Map.groupBy(changed, ({ before, after }) => `${before.answer} ${after.answer}`);
  return (
    <>
      <p role="status" className="backtest-count">
        <strong>{changedTotal.toLocaleString('en')}</strong> of {calls.toLocaleString('en')} calls would be decided
        otherwise
        {skipped === 0 ? '.' : `; ${skipped.toLocaleString('en')} were decided by code, which cannot be asked again.`}
        {changed.length < changedTotal ? ` Here are the newest ${changed.length}.` : ''}
      </p>
      {changed.length === 0 ? (
        <EmptyState icon="check" title="Nothing differs" />
      ) : (
        <>
          <ul className="ways" aria-label="What becomes what">
            {[...ways.values()].map((group) => {
              const [first] = group;
              return first === undefined ? undefined : (
                <li key={`${first.before.answer} ${first.after.answer}`}>
                  <DecisionBadge answer={first.before.answer} /> → <DecisionBadge answer={first.after.answer} />
                  <strong>{group.length}</strong>
                </li>
              );
            })}
          </ul>
          <div className="card">
            <DataTable label="Calls that differ" head={['Time', 'Tool', 'Before', 'After']} kind="words">
              {changed.toReversed().map(({ callId, at, tool, before, after }) => (
                <tr key={callId}>
                  <td>
                    <Moment at={at} />
                  </td>
                  <th scope="row">
                    <Link to={`/calls/${callId}`}>{tool}</Link>
                  </th>
                  <td>
                    <Answer decision={before} />
                  </td>
                  <td>
                    <Answer decision={after} />
                  </td>
                </tr>
              ))}
            </DataTable>
          </div>
        </>
      )}
    </>
  );
}

function Answer({ decision: { answer, rule, reason } }: { readonly decision: Decision }): ReactNode {
  return (
    <>
      <DecisionBadge answer={answer} /> {rule} <span className="faint">{reason}</span>
    </>
  );
}
