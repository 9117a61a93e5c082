import type { ReactNode } from 'react';
import type { Approval } from '../../../api/schema.ts';
import { Link } from '../../../app/router.tsx';
import { JsonView } from '../../../components/text/json-view.tsx';
import { formatTimestamp } from '../../../components/time.tsx';
import { PrincipalName } from '../../../components/calls/principal-name.tsx';
import { hiddenPartsText } from '../../../components/approvals/approval-notes.tsx';

/** The approval of a call: its state, the answer and who gave it. */
export function CallApproval({
  approval,
  callId,
}: {
  readonly approval: Approval;
  /** The call of this page. */
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
              Pending until {formatTimestamp(expiresAt)}. <Link to="/inbox">Answer it in the inbox</Link>
            </>
          ) : (
            'No answer in time.'
          )
        ) : (
          <>
            {state === 'denied' ? 'Denied' : 'Approved'} by{' '}
            <strong>
              <PrincipalName of={answer.by} />
            </strong>{' '}
            at {formatTimestamp(answer.at)}
            {answer.reason === undefined ? '' : `: “${answer.reason}”`}
          </>
        )}{' '}
        <span className="faint">requested at {formatTimestamp(requestedAt)}</span>
      </p>
      {state === 'approved' ? (
        <p>Not used yet. The same caller can make exactly this call once, until {formatTimestamp(expiresAt)}.</p>
      ) : undefined}
      {answer?.notRemembered === undefined ? undefined : (
        <p className="note amber">Not remembered: {answer.notRemembered}</p>
      )}
      {answer?.hiddenParts === undefined ? undefined : <p>{hiddenPartsText[answer.hiddenParts]}</p>}
      {answer?.rule === undefined ? undefined : (
        <p className="faint">
          Remembered as {answer.rule}. <Link to="/policies?view=remembered">View remembered rules</Link>
        </p>
      )}
      {answer?.arguments === undefined ? undefined : (
        <>
          <p>The arguments were edited. Requested:</p>
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
