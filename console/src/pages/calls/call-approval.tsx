import type { ReactNode } from 'react';
import type { Approval } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { momentText } from '../../parts/moment.tsx';
import { PrincipalName } from '../../parts/principal-name.tsx';
import { hiddenPartsText } from '../approvals/approval-notes.tsx';

/** Who was asked about a call, and what they said. */
export function CallApproval({
  approval,
  callId,
}: {
  readonly approval: Approval;
  /** The call that is looked at. */
  readonly callId: string;
}): ReactNode {
  const { state, requestedAt, expiresAt, answer, usedBy } = approval;
  return (
    <div className="call-approval">
      <h3>Approval</h3>
      <p>
        {answer === undefined ? (
          state === 'pending' ? (
            <>
              Waits for an answer until {momentText(expiresAt)}. <Link to="/inbox">Answer it in the inbox</Link>
            </>
          ) : (
            'Nobody answered in time.'
          )
        ) : (
          <>
            {state === 'denied' ? 'Denied' : 'Approved'} by{' '}
            <strong>
              <PrincipalName of={answer.by} />
            </strong>{' '}
            at {momentText(answer.at)}
            {answer.reason === undefined ? '' : `: “${answer.reason}”`}
          </>
        )}{' '}
        <span className="faint">asked at {momentText(requestedAt)}</span>
      </p>
      {state === 'approved' ? (
        <p>
          Nothing has run by it yet. The same caller can make exactly this call once, until {momentText(expiresAt)}.
        </p>
      ) : undefined}
      {answer?.notRemembered === undefined ? undefined : (
        <p className="note amber">Not remembered: {answer.notRemembered}</p>
      )}
      {answer?.hiddenParts === undefined ? undefined : <p>{hiddenPartsText[answer.hiddenParts]}</p>}
      {answer?.rule === undefined ? undefined : (
        <p className="faint">
          Remembered as {answer.rule}. <Link to="/policies?view=remembered">See what is remembered</Link>
        </p>
      )}
      {answer?.arguments === undefined ? undefined : (
        <>
          <p>The arguments were edited. Asked for:</p>
          <JsonView value={approval.arguments} />
          <p>Approved:</p>
          <JsonView value={answer.arguments} />
        </>
      )}
      {usedBy === undefined || usedBy === callId ? undefined : (
        <p className="faint">
          Used by <Link to={`/calls/${usedBy}`}>{usedBy}</Link>
        </p>
      )}
    </div>
  );
}
