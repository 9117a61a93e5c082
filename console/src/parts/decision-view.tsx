import type { ReactNode } from 'react';
import type { Decision } from '../api/schema.ts';
import { DecisionBadge } from './badge.tsx';
import { Icon } from './icon.tsx';
import { JsonView } from './json-view.tsx';
import { seen } from './seen.ts';

/** Why a call was allowed, asked about or denied: the rule, where it stands, and the values it looked at. */
export function DecisionView({
  decision,
  isOpen = false,
}: {
  readonly decision: Decision;
  /** Shows also the values and the version of the policy, as `policy explain` does. */
  readonly isOpen?: boolean;
}): ReactNode {
  const { answer, rule, reason, at, asks = [], values, policy, ruled, shadow = [], protectedRoles } = decision;
  const files = Object.entries(protectedRoles ?? {});
  return (
    <div className="decision">
      <p>
        <DecisionBadge answer={answer} /> {files.length === 0 ? reason : protectedReason(decision, files.length)}{' '}
        <span className="faint">{place(rule, at)}</span>
      </p>
      {files.length === 0 ? undefined : (
        <ul className="protected-files" aria-label="Protected files">
          {files.map(([path, role]) => (
            <li key={path}>
              <Icon name="lock" />
              <span>
                writes <code>{seen(path)}</code> ({role})
              </span>
            </li>
          ))}
        </ul>
      )}
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

function protectedReason({ answer, ruled }: Decision, count: number): string {
  const files = count === 1 ? 'a protected file' : 'protected files';
  if (answer === 'deny') return `No agent may use ${files}`;
  return `A call that may write ${files} asks each time${ruled?.answer === 'allow' ? ', although a rule allows it' : ''}`;
}

function place(rule: string, at: string | undefined): string {
  return at === undefined ? `rule ${rule}` : `rule ${rule} · ${at}`;
}
