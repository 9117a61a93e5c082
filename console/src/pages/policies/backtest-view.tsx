import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import type { Backtest, Decision } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { DecisionBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Timestamp } from '../../components/time.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { timeSpans } from '../calls/call-filters.ts';
import type { PolicyDraft } from './use-policy-draft.ts';

const maxShown = 500;

/** Evaluates the draft on recorded calls and lists those that it would decide differently. */
export function BacktestView({ draft: { text, isChanged } }: { readonly draft: PolicyDraft }): ReactNode {
  const [span, setSpan] = useState('7d');
  const run = useMutation({
    mutationFn: () => {
      const ms = timeSpans[span]?.ms;
      const since = ms === undefined ? undefined : new Date(Date.now() - ms).toISOString();
      return api('POST /api/policies/backtest', { body: { text, since, limit: maxShown } });
    },
  });
  return (
    <section className="backtest" aria-label="Backtest">
      <div className="backtest-head">
        <p>
          {isChanged
            ? 'Evaluates recorded calls with your unsaved rules.'
            : 'Evaluates recorded calls with the saved rules.'}{' '}
          <Link to="/policies">Edit rules</Link>
        </p>
        <label className="choice">
          <span className="unseen">Time range</span>
          <select value={span} onChange={(event) => setSpan(event.target.value)}>
            {Object.entries(timeSpans).map(([value, { name }]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
            <option value="all">All time</option>
          </select>
        </label>
        <Button kind="primary" isBusy={run.isPending} onClick={() => run.mutate()}>
          Run backtest
        </Button>
      </div>
      {run.error === null ? undefined : <ProblemNote error={run.error} />}
      {run.data === undefined ? undefined : <Result {...run.data} />}
    </section>
  );
}

function Result({ calls, skipped, changed, changedTotal }: Backtest): ReactNode {
  const transitions = Map.groupBy(changed, ({ before, after }) => `${before.answer} ${after.answer}`);
  return (
    <>
      <p role="status" className="backtest-count">
        <strong>{changedTotal.toLocaleString('en')}</strong> of {calls.toLocaleString('en')} calls would be decided
        differently
        {skipped === 0 ? '.' : `; ${skipped.toLocaleString('en')} were decided by code, which cannot be re-evaluated.`}
        {changed.length < changedTotal ? ` Showing the newest ${changed.length}.` : ''}
      </p>
      {changed.length === 0 ? (
        <EmptyState icon="check" title="No differences" />
      ) : (
        <>
          <ul className="ways" aria-label="Changed answers">
            {[...transitions.values()].map((group) => {
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
            <DataTable label="Calls decided differently" head={['Time', 'Tool', 'Before', 'After']} kind="words">
              {changed.toReversed().map(({ callId, at, tool, before, after }) => (
                <tr key={callId}>
                  <td>
                    <Timestamp at={at} />
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
