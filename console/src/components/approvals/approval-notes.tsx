import type { ReactNode } from 'react';
import type { Approval } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import type { Toaster } from '../../app/toasts.tsx';
import { Icon } from '../icon.tsx';
import { TimeAgo, formatTimestamp } from '../time.tsx';
import { PrincipalName } from '../calls/principal-name.tsx';
import { escapeInvisible } from '../text/escape-invisible.ts';

const maxShownArguments = 120;

/** Shows a toast about an answer, with the arguments and a link to the call. */
export function reportAnswer(toaster: Toaster, answered: Approval, isGone: boolean): void {
  const { tool, state, answer, callId, usedBy, arguments: args, expiresAt } = answered;
  const link = { to: `/calls/${encodeURIComponent(usedBy ?? callId)}`, words: 'View call' };
  // Long runs of whitespace would push the rest out of view.
  const text = escapeInvisible(JSON.stringify(answer?.arguments ?? args)).replaceAll(/(?:\\[nrt]|\s){3,}/g, ' … ');
  const about = text.length > maxShownArguments ? `${text.slice(0, maxShownArguments)}…` : text;
  if (state === 'denied') toaster.success(`Denied ${tool}`, { detail: about, link });
  else if (answer?.notRemembered !== undefined)
    toaster.warn(`Approved ${tool} once; not remembered`, { detail: answer.notRemembered, link });
  else if (isGone)
    toaster.warn(`Approved ${tool} for later; not run yet`, {
      detail: `It runs when the caller repeats exactly this call before ${formatTimestamp(expiresAt)}.`,
      link,
    });
  else if (answer?.rule !== undefined)
    toaster.success(`Approved ${tool} and remembered the answer`, { detail: about, link });
  else toaster.success(`Approved ${tool}`, { detail: about, link });
}

/** States that an approval also covers later calls of the session by default. */
export function HoldsForSession({ tool }: { readonly tool: string }): ReactNode {
  return (
    <p className="faint">
      Approving also allows later calls of <code>{tool}</code> in this session, because they can be undone. Choose
      Remember… for another scope.
    </p>
  );
}

/** States that the caller is gone, and the effect of approving now. */
export function CallerGone({ expiresAt }: { readonly expiresAt: string }): ReactNode {
  return (
    <div className="note amber">
      <Icon name="warning" />
      <div className="note-text">
        <strong>The caller is no longer waiting</strong>
        <p>
          Approving does not run the call now. It allows the same caller to make exactly this call once, until{' '}
          {formatTimestamp(expiresAt)}.
        </p>
      </div>
    </div>
  );
}

/** Describes how the approver handled hidden parts. */
export const hiddenPartsText = {
  revealed: 'Hidden parts of the arguments were revealed first.',
  acknowledged: 'Hidden parts of the arguments were approved without being revealed.',
} as const;

const states = {
  approved: 'Approved',
  used: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  pending: 'Pending',
} as const;

/** A resolved approval: the answer, by whom and when, and a link to the call. */
export function AnsweredNote({ approval }: { readonly approval: Approval }): ReactNode {
  const { state, tool, answer, callId, usedBy } = approval;
  return (
    <p className="answered" role="status">
      <strong>{states[state]}</strong> <code>{tool}</code>
      {answer === undefined ? (
        ': no answer in time'
      ) : (
        <>
          {' by '}
          <PrincipalName of={answer.by} /> <TimeAgo at={answer.at} />
        </>
      )}
      {answer?.notRemembered === undefined ? '' : `. Not remembered: ${answer.notRemembered}`}
      {' · '}
      <Link to={`/calls/${encodeURIComponent(usedBy ?? callId)}`}>View call</Link>
    </p>
  );
}
