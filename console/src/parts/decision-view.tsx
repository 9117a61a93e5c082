import type { ReactNode } from 'react';
import type { Decision } from '../api/schema.ts';
import { DecisionBadge } from './badge.tsx';
import { JsonView } from './json-view.tsx';

/** Why a call was allowed, asked about or denied: the rule, where it stands, and the values it looked at. */
export function DecisionView({
  decision,
  isOpen = false,
}: {
  readonly decision: Decision;
  /** Shows also the values and the version of the policy, as `policy explain` does. */
  readonly isOpen?: boolean;
}): ReactNode {
  const { answer, rule, reason, at, asks = [], values, policy, ruled, shadow = [] } = decision;
  return (
    <div className="decision">
      <p>
        <DecisionBadge answer={answer} /> {reason} <span className="faint">{place(rule, at)}</span>
      </p>
      {asks.slice(1).map((each) => (
        <p key={each.rule}>
          <DecisionBadge answer="ask" /> {each.reason} <span className="faint">{place(each.rule, each.at)}</span>
        </p>
      ))}
      {ruled === undefined ? undefined : (
        <p className="faint">
          The rules said {ruled.answer}: {ruled.reason} (rule {ruled.rule})
        </p>
      )}
      {shadow.map((each) => (
        <p key={each.rule} className="faint">
          In shadow, {each.rule} would have said {each.answer}: {each.reason}
        </p>
      ))}
      {values === undefined || Object.keys(values).length === 0 ? undefined : (
        <details open={isOpen}>
          <summary>What the rule looked at</summary>
          <JsonView value={values} />
        </details>
      )}
      {policy === undefined || !isOpen ? undefined : <p className="faint">policy version {policy}</p>}
    </div>
  );
}

function place(rule: string, at: string | undefined): string {
  return at === undefined ? `rule ${rule}` : `rule ${rule} · ${at}`;
}
