import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { queries } from '../../api/queries.ts';
import { PageHead } from '../../app/page-head.tsx';
import { usePlace } from '../../app/router.tsx';
import { ProblemNote } from '../../parts/problem-note.tsx';
import { ViewLinks } from '../../parts/view-links.tsx';
import { BacktestView } from './backtest-view.tsx';
import { ExplainView } from './explain-view.tsx';
import { RememberedRules } from './remembered-rules.tsx';
import { RulesView } from './rules-view.tsx';
import { ShadowView } from './shadow-view.tsx';
import { useDraft } from './draft.ts';

const views = [
  { view: 'rules', name: 'Rules' },
  { view: 'backtest', name: 'Backtest' },
  { view: 'explain', name: 'Explain' },
  { view: 'shadow', name: 'Shadow' },
  { view: 'remembered', name: 'Remembered' },
] as const;

/** The rules that decide calls: written, tried on the record, explained, and remembered. */
export function PoliciesPage(): ReactNode {
  const { search } = usePlace();
  const current = views.find(({ view }) => view === search.get('view'))?.view ?? 'rules';
  const { data: policies, error, refetch } = useQuery(queries.policies());
  const draft = useDraft(policies);
  return (
    <div className="page policies">
      <PageHead
        title="Policies"
        about="Rules allow, ask or deny. Where none speaks, reads run and everything else asks."
      />
      <ViewLinks
        label="Views of the policies"
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
