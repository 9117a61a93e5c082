import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { Link } from '../../app/router.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { DecisionBadge } from '../../components/badge.tsx';
import { DecisionView } from '../../components/calls/decision-view.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { JsonView } from '../../components/text/json-view.tsx';
import { Timestamp } from '../../components/time.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { usePeriodicRefresh } from '../calls/use-periodic-refresh.ts';

const shown = 50;

/** Explains a recent call: the rule that decided it, its location and the values it compared. */
export function ExplainView(): ReactNode {
  const query = queries.callWindow({ filters: {}, limit: shown });
  const { data, error, refetch } = useQuery(query);
  usePeriodicRefresh(query.queryKey);
  const [chosen, setChosen] = useState<string>();
  const calls = data?.items ?? [];
  const at = Math.max(
    0,
    calls.findIndex(({ callId }) => callId === chosen),
  );
  const call = calls[at];
  const move = (step: number): void => setChosen(calls[Math.min(calls.length - 1, Math.max(0, at + step))]?.callId);
  useShortcut('j', 'Next call', () => move(1), { repeats: true });
  useShortcut('k', 'Previous call', () => move(-1), { repeats: true });
  if (error !== null) return <ProblemNote error={error} onRetry={() => void refetch()} />;
  if (data !== undefined && call === undefined)
    return (
      <EmptyState icon="calls" title="No calls yet">
        <p>See here why each call was allowed, asked about or denied.</p>
      </EmptyState>
    );
  if (call === undefined) return undefined;
  return (
    <div className="inbox-split">
      <ul className="inbox-list card explain-list" aria-label="Recent calls">
        {calls.map(({ callId, tool, at: when, decision }) => (
          <li key={callId}>
            <button type="button" aria-current={callId === call.callId} onClick={() => setChosen(callId)}>
              <code>{tool}</code>
              {decision === undefined ? undefined : <DecisionBadge answer={decision.answer} />}
              <span className="faint">
                <Timestamp at={when} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <section className="card inbox-detail" aria-label="Why">
        <h2>
          <Link to={`/calls/${call.callId}`}>{call.tool}</Link>
        </h2>
        {call.decision === undefined ? (
          <p className="faint">The call ended before a policy decision.</p>
        ) : (
          <DecisionView decision={call.decision} isOpen />
        )}
        <h3>Arguments</h3>
        <div className="payload" role="group" aria-label="Arguments" tabIndex={0}>
          <JsonView value={call.arguments} open={3} />
        </div>
      </section>
    </div>
  );
}
