import type { ReactNode } from 'react';
import type { Approval } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import type { Tell } from '../../app/toasts.tsx';
import { Icon } from '../../parts/icon.tsx';
import { momentText } from '../../parts/moment.tsx';
import { PrincipalName } from '../../parts/principal-name.tsx';
import { seen } from '../../parts/seen.ts';
import { TimeAgo } from '../../parts/time-ago.tsx';

const maxShownArguments = 120;

/** Reports what was answered, with the exact call, and a link to it. */
export function reportAnswer(tell: Tell, answered: Approval, isGone: boolean): void {
  const { tool, state, answer, callId, usedBy, arguments: args, expiresAt } = answered;
  const link = { to: `/calls/${encodeURIComponent(usedBy ?? callId)}`, words: 'Open the call' };
  // Runs of blank space would push the rest out of sight.
  const text = seen(JSON.stringify(answer?.arguments ?? args)).replaceAll(/(?:\\[nrt]|\s){3,}/g, ' … ');
  const about = text.length > maxShownArguments ? `${text.slice(0, maxShownArguments)}…` : text;
  if (state === 'denied') tell.done(`Denied ${tool}`, { detail: about, link });
  else if (answer?.notRemembered !== undefined)
    tell.warn(`Approved ${tool} once; it was not remembered`, { detail: answer.notRemembered, link });
  else if (isGone)
    tell.warn(`Approved ${tool} for later; nothing ran`, {
      detail: `It runs if its caller makes exactly the same call before ${momentText(expiresAt)}.`,
      link,
    });
  else if (answer?.rule !== undefined)
    tell.done(`Approved ${tool}, and remembered the answer`, { detail: about, link });
  else tell.done(`Approved ${tool}`, { detail: about, link });
}

/** Says that an approval also holds for later calls, where the human does not choose that. */
export function HoldsForSession({ tool }: { readonly tool: string }): ReactNode {
  return (
    <p className="faint">
      Approving also allows later calls of <code>{tool}</code> in this session: they can be undone. Choose Remember… for
      another scope.
    </p>
  );
}

/** Says that nobody waits for the answer, and what approving does then. */
export function CallerGone({ expiresAt }: { readonly expiresAt: string }): ReactNode {
  return (
    <div className="note amber">
      <Icon name="warning" />
      <div className="note-text">
        <strong>The caller no longer waits</strong>
        <p>
          Approving runs nothing now. It allows the same caller to make exactly this call once, until{' '}
          {momentText(expiresAt)}.
        </p>
      </div>
    </div>
  );
}

/** How the human took note of hidden parts. */
export const hiddenPartsText = {
  revealed: 'The hidden parts of the arguments were revealed first.',
  acknowledged: 'The hidden parts of the arguments were not revealed; they were approved unseen.',
} as const;

const states = {
  approved: 'Approved',
  used: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  pending: 'Pending',
} as const;

/** How a question was answered, by whom and when, with a link to the call. */
export function AnsweredNote({ approval }: { readonly approval: Approval }): ReactNode {
  const { state, tool, answer, callId, usedBy } = approval;
  return (
    <p className="answered" role="status">
      <strong>{states[state]}</strong> <code>{tool}</code>
      {answer === undefined ? (
        ': nobody answered in time'
      ) : (
        <>
          {' by '}
          <PrincipalName of={answer.by} /> <TimeAgo at={answer.at} />
        </>
      )}
      {answer?.notRemembered === undefined ? '' : `. Not remembered: ${answer.notRemembered}`}
      {' · '}
      <Link to={`/calls/${encodeURIComponent(usedBy ?? callId)}`}>Open the call</Link>
    </p>
  );
}
