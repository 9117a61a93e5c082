import type { ReactNode } from 'react';
import type { Decision } from '../../api/schema.ts';
import { DecisionBadge } from '../badge.tsx';
import { Icon } from '../icon.tsx';
import { JsonView } from '../text/json-view.tsx';
import { escapeInvisible } from '../text/escape-invisible.ts';

/** Explains a decision: the answer, the rule and its location, and the values that it compared. */
export function DecisionView({
  decision,
  isOpen = false,
}: {
  readonly decision: Decision;
  /** Also shows the values and the policy version, as `policy explain` does. */
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
                writes <code>{escapeInvisible(path)}</code> ({role})
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
          The rules alone: {ruled.answer}, {ruled.reason} (rule {ruled.rule})
        </p>
      )}
      {shadow.map((each) => (
        <p key={each.rule} className="faint">
          Shadow rule {each.rule} would {each.answer}: {each.reason}
        </p>
      ))}
      {values === undefined || Object.keys(values).length === 0 ? undefined : (
        <details open={isOpen}>
          <summary>Values checked</summary>
          <JsonView value={values} />
        </details>
      )}
      {policy === undefined || !isOpen ? undefined : <p className="faint">Policy version {policy}</p>}
    </div>
  );
}

function protectedReason({ answer, ruled }: Decision, count: number): string {
  const files = count === 1 ? 'a protected file' : 'protected files';
  if (answer === 'deny') return `Agents may not use ${files}`;
  return `Calls that may write ${files} always ask${ruled?.answer === 'allow' ? ', even where a rule allows them' : ''}`;
}

function place(rule: string, at: string | undefined): string {
  return at === undefined ? `rule ${rule}` : `rule ${rule} · ${at}`;
}
