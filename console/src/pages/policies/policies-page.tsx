import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../api/queries.ts';
import { PageHead } from '../../app/page-head.tsx';
import { useLocation } from '../../app/router.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { ViewLinks } from '../../components/view-links.tsx';
import { BacktestView } from './backtest-view.tsx';
import { ExplainView } from './explain-view.tsx';
import { RememberedRules } from './remembered-rules.tsx';
import { RulesView } from './rules-view.tsx';
import { ShadowView } from './shadow-view.tsx';
import { usePolicyDraft } from './use-policy-draft.ts';
import './policies.css';

const views = [
  { view: 'rules', name: 'Rules' },
  { view: 'backtest', name: 'Backtest' },
  { view: 'explain', name: 'Explain' },
  { view: 'shadow', name: 'Shadow' },
  { view: 'remembered', name: 'Remembered' },
] as const;

/** The policy editor, backtests, explanations, shadow results and remembered approvals. */
export function PoliciesPage(): ReactNode {
  const { search } = useLocation();
  const current = views.find(({ view }) => view === search.get('view'))?.view ?? 'rules';
  const { data: policies, error, refetch } = useQuery(queries.policies());
  const draft = usePolicyDraft(policies);
  return (
    <div className="page policies">
      <PageHead
        title="Policies"
        about="Rules allow, ask or deny. Without a matching rule, reads run, undoable calls ask once in a session, and all other calls ask."
      />
      <ViewLinks
        label="Policy views"
        current={current}
        views={views.map(({ view, name }) => ({
          view,
          name,
          to: view === 'rules' ? '/policies' : `/policies?view=${view}`,
        }))}
      />
      {error === null ? undefined : <ProblemNote error={error} onRetry={() => void refetch()} />}
      {policies === undefined ? undefined : (
        <>
          {current === 'rules' ? <RulesView policies={policies} draft={draft} /> : undefined}
          {current === 'backtest' ? <BacktestView draft={draft} /> : undefined}
        </>
      )}
      {current === 'explain' ? <ExplainView /> : undefined}
      {current === 'shadow' ? <ShadowView /> : undefined}
      {current === 'remembered' ? <RememberedRules /> : undefined}
    </div>
  );
}
